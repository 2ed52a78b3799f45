using System.Text;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>Questions between two records: answered from the state as it is, and nothing comes of them.</summary>
public sealed class QueryTests
{
    private const int Total = 12;
    private const int Misuse = 13;
    private const int ByName = -3;

    [Fact]
    public async Task A_query_is_answered_from_the_state_behind_what_was_executed()
    {
        await using ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(
            TestMessage.Call(RpcKind.Fork, 1, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(21); }));
        Assert.Equal((QueryStatus.Answered, "2A"),
            await AskAsync(coordinator, Total, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(2); }));
        Assert.Equal((QueryStatus.Answered, "3F"), await AskAsync(coordinator, ByName, static (ref MessagePackWriter w) =>
        {
            w.WriteArrayHeader(2);
            w.WriteString("TotalOf");
            w.WriteArrayHeader(1);
            w.WriteInt64(3);
        }));
    }

    [Fact]
    public async Task A_secondary_and_one_that_still_replays_answer_too()
    {
        await using ScriptedCoordinator coordinator = await StartAsync();
        await coordinator.DeliverAsync(
            TestMessage.Call(RpcKind.Fork, 1, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(5); }));
        await coordinator.KillAsync();
        await coordinator.RecoverAsync(becomePrimary: false);
        Assert.Equal((QueryStatus.Answered, "05"),
            await AskAsync(coordinator, Total, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(1); }));
    }

    [Theory]
    [InlineData("send", "A query only reads: it sends CounterProxy nothing.")]
    [InlineData("wait", "A query only reads: it completes no durable task and waits for none.")]
    [InlineData("draw", "NewGuid does not work in a query, which only reads.")]
    [InlineData("throw", "InvalidOperationException: throw")]
    public async Task What_a_query_may_not_do_is_refused_and_the_next_one_is_answered(string how, string reason)
    {
        await using ScriptedCoordinator coordinator = await StartAsync();
        (QueryStatus status, byte[] body) =
            await coordinator.AskAsync(Misuse, (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteString(how); });
        Assert.Equal(QueryStatus.Failed, status);
        Assert.Contains(reason, Encoding.UTF8.GetString(body), StringComparison.Ordinal);
        Assert.Equal((QueryStatus.Answered, "00"),
            await AskAsync(coordinator, Total, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(2); }));
        Assert.Empty(coordinator.SentTo("sink"));
        Assert.False(coordinator.App.IsCompleted);
    }

    [Fact]
    public async Task A_query_that_changes_the_state_ends_the_app_where_that_is_looked_for()
    {
        await using ScriptedCoordinator coordinator = await StartAsync();
        (QueryStatus status, byte[] body) =
            await coordinator.AskAsync(Misuse, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteString("write"); });
        Assert.Equal(QueryStatus.Failed, status);
        Assert.Contains("The query Misuse changed the state", Encoding.UTF8.GetString(body), StringComparison.Ordinal);
        await Assert.ThrowsAsync<StateChangedByQueryException>(() => coordinator.App.WaitAsync(Patience.Time));
    }

    [Fact]
    public async Task A_method_that_is_no_query_one_that_does_not_exist_and_bytes_that_are_none_are_refused()
    {
        await using ScriptedCoordinator coordinator = await StartAsync();
        (QueryStatus status, byte[] body) =
            await coordinator.AskAsync(1, static (ref MessagePackWriter w) => { w.WriteArrayHeader(1); w.WriteInt64(2); });
        Assert.Equal((QueryStatus.Unknown, "the queries of Tests.ICounter are Misuse, TotalOf"), (status, Encoding.UTF8.GetString(body)));
        Assert.Equal(QueryStatus.Unknown,
            (await coordinator.AskAsync(99, static (ref MessagePackWriter w) => w.WriteArrayHeader(0))).Status);
        Assert.Equal(QueryStatus.Failed, (await coordinator.AskAsync(ByName, static (ref MessagePackWriter w) => w.WriteInt64(5))).Status);
        Assert.Equal(QueryStatus.Failed, (await coordinator.AskAsync(Total, static (ref MessagePackWriter w) =>
            { w.WriteArrayHeader(1); w.WriteString("two"); })).Status);
        Assert.Equal(0, ((Counter)coordinator.Immortal!).Total);
    }

    private static async Task<ScriptedCoordinator> StartAsync()
    {
        var coordinator = new ScriptedCoordinator(static () =>
            new Counter(), new ImmortalOptions { InstanceName = ScriptedCoordinator.Instance, CheckQueries = true });
        await coordinator.StartFirstAsync();
        return coordinator;
    }

    private static async Task<(QueryStatus Status, string Value)> AskAsync(ScriptedCoordinator coordinator, int method,
        WriteArguments arguments)
    {
        (QueryStatus status, byte[] body) = await coordinator.AskAsync(method, arguments);
        return (status, Convert.ToHexString(body));
    }
}
