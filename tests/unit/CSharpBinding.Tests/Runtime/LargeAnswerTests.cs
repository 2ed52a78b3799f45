using System.Text;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>Answers that are larger than what the coordinator takes: who asked is told, and the app goes on.</summary>
public sealed class LargeAnswerTests : IAsyncDisposable
{
    private const int Misuse = 13;
    private readonly ScriptedCoordinator _coordinator = new(static () => new Talker()) { MaxMessageBytes = 2048 };

    [Fact]
    public async Task A_query_with_a_larger_answer_fails_and_the_next_one_is_answered()
    {
        await _coordinator.StartFirstAsync();
        (QueryStatus status, byte[] body) = await AskAsync("long");
        Assert.Equal(QueryStatus.Failed, status);
        Assert.Contains("--max-message-size", Encoding.UTF8.GetString(body), StringComparison.Ordinal);
        Assert.Equal(QueryStatus.Answered, (await AskAsync("short")).Status);
    }

    [Fact]
    public async Task Of_a_larger_state_the_hash_is_told_and_why_there_is_no_more()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync([.. Enumerable.Range(1000, 500).Select(DispatchTests.Note)]);
        await _coordinator.SendAsync(TestMessage.Frame(BindingMessageType.StateRequest, [1]));
        await _coordinator.UntilAsync(() => _coordinator.StateJson is not null, "state");
        Assert.Matches("^{\"stateHash\":\"[0-9a-f]{64}\",\"state\":\".* bytes as JSON, more than .* raise --max-message-size",
            _coordinator.StateJson);
    }

    [Fact]
    public async Task What_a_handler_can_send_follows_the_limits_that_stand_before_its_record()
    {
        await _coordinator.StartFirstAsync();
        foreach ((long limit, RpcForm answer) in new[] { (0L, RpcForm.Exception), (1L << 20, RpcForm.Value), (2048L, RpcForm.Exception) })
        {
            if (limit > 0)
            {
                byte[] data = new byte[HandlerLimits.MaxSize];
                await _coordinator.SendAsync(
                    TestMessage.Frame(BindingMessageType.Limits, data.AsSpan(0, new HandlerLimits(limit).Write(data))));
            }

            await _coordinator.DeliverAsync(TestMessage.Call(
                RpcKind.Async, Misuse, static (ref MessagePackWriter w) =>
                    { w.WriteArrayHeader(1); w.WriteString("long"); }, number: limit));
            Assert.Equal((byte)answer, TestMessage.DataOf(_coordinator.SentTo("client")[^1])[0]);
        }
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private Task<(QueryStatus Status, byte[] Body)> AskAsync(string how) =>
        _coordinator.AskAsync(Misuse, (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteString(how); });

    private sealed class Talker : Counter
    {
        public override DurableTask<string> Misuse(string how) => how == "long" ? new string('x', 5000) : how;
    }
}
