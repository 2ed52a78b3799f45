using System.Buffers;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Stores;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>Where a checkpoint is asked for when enough has been logged: here, with each message.</summary>
public sealed class DueCheckpointTests
{
    private const int Large = 50_000;

    [Fact]
    public async Task No_two_checkpoints_are_taken_behind_the_same_record_only_because_they_are_due()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options => options.CheckpointEvery = Large);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
        await SendAsync(app); // It makes one due, which is asked for behind what was delivered before.
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        await app.HearAsync(BindingMessageType.Rpc);
        await SendAsync(app); // It makes another one due, which has to wait.
        await app.HearAsync(BindingMessageType.Rpc, before: BindingMessageType.TakeCheckpoint);
        await AnswerAsync(app);
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        await AnswerAsync(app);
        await Within.Until(() => core.Status.Snapshot().Checkpoints is { NewestLsn: 3 });
        await SendAsync(app);
        await app.HearAsync(BindingMessageType.Rpc, before: BindingMessageType.TakeCheckpoint);
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        await AnswerAsync(app);
        await Within.Until(() => core.Status.Snapshot().Checkpoints is { NewestLsn: 4 });
    }

    [Fact] // It said 0 until its own first one.
    public async Task A_start_tells_which_checkpoint_it_begins_with()
    {
        var log = new LogStoreEnvironment();
        await using (CoreUnderTest before = await CoreUnderTest.StartAsync(log: log))
        {
            await using ScriptedApp app = await before.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await app.HearAsync(BindingMessageType.Rpc);
            await app.DoneAsync(1);
            before.Core.RequestCheckpoint();
            await app.HearAsync(BindingMessageType.TakeCheckpoint);
            await AnswerAsync(app);
            await Within.Until(() => before.Status.Snapshot().Checkpoints is { NewestLsn: >= 1, Taken: > 0 });
        }

        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: log);
        await Within.Until(() => core.Status.Snapshot().Checkpoints is { NewestLsn: >= 1, Taken: 0 });
    }

    // What is being written then may take minutes, and lies before what they want saved: before another build is started, or a move.
    [Fact]
    public async Task Who_asks_while_a_checkpoint_is_under_way_is_told_of_the_next_one()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
        Task<ulong> first = core.Status.CheckpointAsync(default);
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        await SendAsync(app);
        await app.HearAsync(BindingMessageType.Rpc);
        Task<ulong> second = core.Status.CheckpointAsync(default), third = core.Status.CheckpointAsync(default);
        await Task.Delay(100); // Both requests are posted to the core.
        await AnswerAsync(app);
        Assert.Equal(1ul, await first.OrFail());
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        Assert.False(second.IsCompleted);
        await AnswerAsync(app);
        ulong[] told = await Task.WhenAll(second, third).OrFail();
        Assert.True(told[0] > 1 && told[0] == told[1], string.Join(' ', told));
    }

    [Fact]
    public async Task What_was_asked_of_an_app_that_died_is_asked_of_the_next_one_for_all_who_wait()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        Task<ulong> first, second;
        await using (ScriptedApp app = await core.ConnectAppAsync())
        {
            await app.BecomePrimaryAsync();
            await app.HearAsync(BindingMessageType.Rpc);
            first = core.Status.CheckpointAsync(default);
            await app.HearAsync(BindingMessageType.TakeCheckpoint);
            second = core.Status.CheckpointAsync(default);
            await Task.Delay(100);
        }

        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await next.HearAsync(BindingMessageType.Checkpoint);
        await next.HearAsync(BindingMessageType.Rpc);
        await next.DoneAsync(1);
        await next.HearAsync(BindingMessageType.BecomingPrimary);
        await next.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        await next.HearAsync(BindingMessageType.TakeCheckpoint);
        await AnswerAsync(next);
        Assert.Equal([1ul, 1], await Task.WhenAll(first, second).OrFail());
    }

    // An impulse to itself. The app never reports the end of one: of that, more would be logged.
    private static Task SendAsync(ScriptedApp app) => app.SayAsync(BindingMessageType.Impulses, static output =>
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(0);
        writer.WriteVarint(1);
        writer.WriteZigZag(Large + 5);
        writer.WriteBytes([0, 0, 2, 2]);
        writer.WriteBytes(new byte[Large + 1]);
    });

    private static Task AnswerAsync(ScriptedApp app) =>
        app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[0]));
}
