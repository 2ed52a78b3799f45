using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>What happens to the process would not happen again at a replay: it ends the app, and nobody is told anything that a replay
/// would not repeat.</summary>
public sealed class ProcessFailureTests
{
    private static readonly TimeSpan s_patience = Patience.Time;

    [Theory]
    [InlineData("memory", typeof(OutOfMemoryException))]
    [InlineData("stack", typeof(InsufficientExecutionStackException))]
    [InlineData("interrupted", typeof(ThreadInterruptedException))]
    [InlineData("wrapped", typeof(InvalidOperationException))]
    [InlineData("gathered", typeof(AggregateException))]
    [InlineData("type", typeof(TypeInitializationException))]
    public async Task A_failure_of_the_process_in_an_async_handler_ends_the_app_and_answers_nothing(string text, Type type)
    {
        foreach (RpcKind kind in new[] { RpcKind.Async, RpcKind.Fork })
        {
            var coordinator = new ScriptedCoordinator(static () => new Counter());
            await coordinator.StartFirstAsync();

            await coordinator.DeliverAsync(coordinator.Append(Call(kind, 5, text)));

            await Assert.ThrowsAsync(type, () => coordinator.App.WaitAsync(s_patience));
            Assert.Empty(coordinator.SentTo("client"));
            Assert.Empty(coordinator.Faults);
        }
    }

    [Theory]
    [InlineData("own")] // From a method without a result, before its first suspension.
    [InlineData("completion")] // Given to a completion.
    [InlineData("result")] // From a method with a result, after a suspension.
    public async Task It_ends_the_app_even_if_the_handler_catches_it(string how)
    {
        var coordinator = new ScriptedCoordinator(static () => new Counter());
        await coordinator.StartFirstAsync();

        await coordinator.DeliverAsync(coordinator.Append(Call(RpcKind.Async, 14, how)));
        if (how == "result")
        {
            await coordinator.UntilAsync(() => coordinator.Impulses.Count > 0, "timer");
            await Assert.ThrowsAsync<OutOfMemoryException>(() => coordinator.SettleAsync().WaitAsync(s_patience));
        }

        await Assert.ThrowsAsync<OutOfMemoryException>(() => coordinator.App.WaitAsync(s_patience));
        Assert.Empty(coordinator.SentTo("client"));
    }

    [Fact]
    public async Task What_another_instance_ran_out_of_is_an_answer_like_any_other()
    {
        await using var coordinator = new ScriptedCoordinator(static () => new Counter());
        await coordinator.StartFirstAsync();
        await coordinator.DeliverAsync(TestMessage.Call(RpcKind.Async, 10, static (ref MessagePackWriter w) =>
        {
            w.WriteArrayHeader(2);
            w.WriteString("other");
            w.WriteString("hi");
        }));
        await coordinator.DeliverAsync(
            TestMessage.Reply(RpcForm.Exception, 20, 1, DispatchTests.EncodedError("System.OutOfMemoryException", "boom", "there")));

        Assert.Contains("remote System.OutOfMemoryException: boom",
            System.Text.Encoding.UTF8.GetString(Assert.Single(coordinator.SentTo("client"))), StringComparison.Ordinal);
    }

    private static byte[] Call(RpcKind kind, int method, string text) =>
        TestMessage.Call(kind, method, (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteString(text); });
}
