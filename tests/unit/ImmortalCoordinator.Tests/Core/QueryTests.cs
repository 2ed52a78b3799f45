using System.Buffers;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>Queries go out between two records, on a primary and on a secondary, and stand with the record behind which they were
/// answered.</summary>
public sealed class QueryTests
{
    private static readonly byte[] s_call = [0, 5, 1, 0x90]; // Call of method -3, fork.
    private readonly LogStoreEnvironment _disk = new();

    [Fact]
    public async Task A_query_waits_for_the_record_that_it_wants_and_is_answered_with_the_one_behind_which_it_went_out()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.RecordInfo, before: BindingMessageType.Query);
        Task<AppAnswer> now = core.Status.QueryAsync(new AppQuery(s_call, 0), default);
        Task<AppAnswer> later = core.Status.QueryAsync(new AppQuery(s_call, 1), default);
        byte[] asked = await app.HearAsync(BindingMessageType.Query);
        Assert.Equal(s_call, QueryRequest.Read(asked).Rpc.ToArray());
        ulong id = QueryRequest.Read(asked).Id;
        await AnswerAsync(app, id, QueryStatus.Answered, [0x2A]);
        AppAnswer answer = await now.OrFail();
        Assert.Equal((1ul, QueryStatus.Answered), (answer.Lsn, answer.Status));
        Assert.Equal([0x2A], answer.Body);
        Assert.False(later.IsCompleted);
        await app.DoneAsync(1);
        id = QueryRequest.Read(await app.HearAsync(BindingMessageType.Query)).Id;
        await AnswerAsync(app, id, QueryStatus.Failed, "no"u8.ToArray());
        Assert.Equal(QueryStatus.Failed, (await later.OrFail()).Status);
        Assert.Equal(1ul, core.Status.Snapshot().Log.DurableLsn); // Nothing was logged.
    }

    [Fact]
    public async Task A_secondary_answers_too()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        await using ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using CoreUnderTest secondary = await StartAsync(1);
        await using ScriptedApp second = await secondary.ConnectAppAsync();
        await second.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await second.HearAsync(BindingMessageType.Checkpoint);
        await second.HearAsync(BindingMessageType.RecordInfo);
        Task<AppAnswer> asked = secondary.Status.QueryAsync(new AppQuery(s_call, 0), default);
        ulong id = QueryRequest.Read(await second.HearAsync(BindingMessageType.Query, before: BindingMessageType.BecomingPrimary)).Id;
        await AnswerAsync(second, id, QueryStatus.Answered, [0xC0]);
        Assert.Equal(1ul, (await asked.OrFail()).Lsn);
    }

    [Fact]
    public async Task Who_asks_without_an_app_of_one_that_leaves_or_for_too_long_gets_no_answer()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await Assert.ThrowsAsync<NotServingException>(() => core.Status.QueryAsync(new AppQuery(s_call, 0), default).OrFail());
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        using var impatience = new CancellationTokenSource();
        Task<AppAnswer> given = core.Status.QueryAsync(new AppQuery(s_call, 9), impatience.Token);
        await impatience.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => given.OrFail());
        Task<AppAnswer> waiting = core.Status.QueryAsync(new AppQuery(s_call, 9), default);
        Task<AppAnswer> open = core.Status.QueryAsync(new AppQuery(s_call, 0), default);
        await app.HearAsync(BindingMessageType.Query);
        await app.DisposeAsync();
        await Assert.ThrowsAsync<NotServingException>(() => waiting.OrFail());
        await Assert.ThrowsAsync<NotServingException>(() => open.OrFail());
    }

    private static Task AnswerAsync(ScriptedApp app, ulong id, QueryStatus status, byte[] body) =>
        app.SayAsync(BindingMessageType.QueryReply, output => QueryReply.Write(output, id, status, body));

    private Task<CoreUnderTest> StartAsync(int number) =>
        CoreUnderTest.StartAsync(change: options => options.ReplicaId = number, log: _disk);
}
