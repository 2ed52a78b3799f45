using System.Globalization;
using System.Text;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>Turns see the invariant culture, whatever the machine's, the app's or the last turn's is; everything else in the process
/// keeps its own.</summary>
public sealed class CultureTests : IAsyncDisposable
{
    private const string Invariant = "1.5 False False";
    private const string Foreign = "1,5 True True";
    private readonly ScriptedCoordinator _coordinator = new(static () => new Counter());

    private Counter App => (Counter)_coordinator.Immortal!;

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    [Theory]
    [InlineData("now")]
    [InlineData("late")] // After a suspension.
    public async Task A_turn_sees_the_invariant_culture(string how)
    {
        await StartAsync();
        await SpeakAsync(how);

        Assert.Equal([Invariant], Answers());
    }

    [Fact]
    public async Task What_a_handler_sets_ends_with_its_turn()
    {
        await StartAsync();
        await SpeakAsync("change");
        await SpeakAsync("now");

        Assert.Equal([Foreign, Invariant], Answers());
    }

    [Fact]
    public async Task A_query_sees_the_invariant_culture()
    {
        await StartAsync();
        await SpeakAsync("change");
        (QueryStatus status, byte[] body) =
            await _coordinator.AskAsync(13, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteString("speak"); });

        Assert.Equal(QueryStatus.Answered, status);
        Assert.Equal(Invariant, Encoding.UTF8.GetString(body.AsSpan(1)));
    }

    [Fact]
    public async Task The_constructor_sees_the_invariant_culture_and_BecomingPrimary_that_of_the_app()
    {
        await StartAsync();
        Assert.Equal(Invariant, App.Born);
        Assert.Equal(Foreign, App.Outdoors);
    }

    [Fact]
    public async Task Who_runs_an_immortal_keeps_its_culture()
    {
        CultureInfo.CurrentCulture = CultureInfo.CurrentUICulture = Counter.Foreign;

        await _coordinator.StartFirstAsync();

        Assert.Equal(Foreign, Counter.Spoken);
    }

    private Task StartAsync()
    {
        CultureInfo.CurrentCulture = CultureInfo.CurrentUICulture = Counter.Foreign;
        return _coordinator.StartFirstAsync();
    }

    private async Task SpeakAsync(string how)
    {
        int answered = _coordinator.SentTo("client").Count;
        await _coordinator.DeliverAsync(
            TestMessage.Call(RpcKind.Async, 16, (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteString(how); }));
        await _coordinator.UntilAsync(() =>
            how != "late" || _coordinator.Impulses.Count > 0 || _coordinator.SentTo("client").Count > answered, "timer");
        await _coordinator.SettleAsync();
    }

    private string[] Answers() => [.. _coordinator.SentTo("client").Select(static reply =>
    {
        RpcHeader header = RpcHeader.Read(TestMessage.DataOf(reply));
        Assert.Equal(RpcForm.Value, header.Form);
        return new MessagePackReader(header.Body).ReadString();
    })];
}
