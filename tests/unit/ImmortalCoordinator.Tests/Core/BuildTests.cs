using System.Buffers;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Transport;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What a coordinator does for apps that compare their build with the log's: docs/guide/builds.md.</summary>
public sealed class BuildTests
{
    private static readonly BindingHello s_hello = ScriptedApp.Hello with { Features = BindingFeatures.Builds };
    private readonly LogStoreEnvironment _log = new();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_app_of_another_build_saves_its_state_before_it_acts_and_one_of_the_same_does_not(bool isOther)
    {
        await using CoreUnderTest core = await LogOneAsync();
        await using ScriptedApp app = await AttachAsync(core);
        await app.DoneAsync(1);
        await TellAsync(app, isOther);
        if (isOther)
        {
            await app.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.BecomingPrimary);
            await SaveAsync(app);
        }

        await app.HearAsync(BindingMessageType.BecomingPrimary, before: BindingMessageType.TakeCheckpoint);
        await Within.Until(() => core.Status.Snapshot().Checkpoints.NewestLsn == (isOther ? 1ul : 0));
    }

    [Fact]
    public async Task An_app_that_has_not_compared_yet_is_not_told_to_act()
    {
        await using CoreUnderTest core = await LogOneAsync();
        await using ScriptedApp app = await AttachAsync(core);
        await app.DoneAsync(1);
        Task<byte[]> told = app.HearAsync(BindingMessageType.BecomingPrimary);
        // Its request goes out, and nothing else does.
        Task<AppState> asked = core.Status.StateAsync(hashOnly: true, CancellationToken.None);
        await Within.Until(() => core.Status.Snapshot().App.Lsn == 1);
        Assert.False(told.IsCompleted);
        await TellAsync(app, isOther: false);
        await told;
        Assert.False(asked.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task An_app_of_another_build_that_cannot_save_its_state_acts_all_the_same()
    {
        await using CoreUnderTest core = await LogOneAsync();
        await using ScriptedApp app = await AttachAsync(core);
        await app.DoneAsync(1);
        await TellAsync(app, isOther: true);
        await app.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        await app.SayAsync(BindingMessageType.CheckpointDeclined, new CheckpointDeclined("planted").Write);
        await app.HearAsync(BindingMessageType.BecomingPrimary);
    }

    [Fact]
    public async Task Records_that_no_app_has_executed_are_marked_until_the_coordinator_starts_again()
    {
        await using (CoreUnderTest core = await LogTwoAsync())
        {
            await using ScriptedApp second = await core.ConnectAppAsync();
            await second.SayAsync(BindingMessageType.Hello, s_hello.Write);
            await TellAsync(second, isOther: false);
            Assert.Equal(RecordInfo.Replay, RecordInfo.Read(await second.HearAsync(BindingMessageType.RecordInfo)).Flags);
            Assert.Equal(RecordInfo.Replay | RecordInfo.Unexecuted,
                RecordInfo.Read(await second.HearAsync(BindingMessageType.RecordInfo)).Flags);
        }

        await using CoreUnderTest next = await CoreUnderTest.StartAsync(log: _log);
        await using ScriptedApp third = await next.ConnectAppAsync();
        await third.SayAsync(BindingMessageType.Hello, s_hello.Write);
        await TellAsync(third, isOther: false);
        Assert.Equal(RecordInfo.Replay, RecordInfo.Read(await third.HearAsync(BindingMessageType.RecordInfo)).Flags);
        Assert.Equal(RecordInfo.Replay, RecordInfo.Read(await third.HearAsync(BindingMessageType.RecordInfo)).Flags);
    }

    [Fact]
    public async Task What_nobody_has_executed_comes_after_the_checkpoint_of_an_app_of_another_build()
    {
        await using CoreUnderTest core = await LogTwoAsync();
        await using ScriptedApp app = await AttachAsync(core);
        await app.DoneAsync(1);
        await TellAsync(app, isOther: true);
        await app.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.RecordInfo);
        await SaveAsync(app);
        Assert.Equal(RecordInfo.Replay | RecordInfo.Unexecuted, RecordInfo.Read(await app.HearAsync(BindingMessageType.RecordInfo)).Flags);
        await app.DoneAsync(2);
        await app.HearAsync(BindingMessageType.BecomingPrimary, before: BindingMessageType.TakeCheckpoint);
        await Within.Until(() => core.Status.Snapshot().Checkpoints.NewestLsn == 1);
    }

    [Fact] // Found by seed 857 of the simulator with planted bugs: nothing else would ever wake who delivers.
    public async Task An_app_of_another_build_is_asked_for_its_state_also_if_it_reports_what_was_executed_late()
    {
        await using CoreUnderTest core = await LogTwoAsync();
        await using ScriptedApp app = await AttachAsync(core);
        await TellAsync(app, isOther: true);
        Task<AppState> asked = core.Status.StateAsync(hashOnly: true, CancellationToken.None);
        await app.HearAsync(BindingMessageType.StateRequest, before: BindingMessageType.RecordInfo);
        await app.DoneAsync(1);
        await app.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.RecordInfo);
        Assert.False(asked.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_secondary_of_another_build_leaves_checkpoints_to_others_and_saves_its_state_when_it_takes_the_place()
    {
        CoreUnderTest primary = await StartAsync(0);
        ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using CoreUnderTest secondary = await StartAsync(1);
        await using ScriptedApp second = await AttachAsync(secondary);
        await TellAsync(second, isOther: true);
        await second.DoneAsync(1);
        await Within.Until(() => secondary.Status.Snapshot() is { Role: "checkpointer", App.Lsn: >= 1 });
        secondary.Core.RequestCheckpoint();
        Task<AppState> asked = secondary.Status.StateAsync(hashOnly: true, CancellationToken.None);
        // A checkpoint would be asked for first.
        await second.HearAsync(BindingMessageType.StateRequest, before: BindingMessageType.TakeCheckpoint);
        await first.DisposeAsync();
        await primary.DisposeAsync();
        await second.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        await SaveAsync(second);
        await second.HearAsync(BindingMessageType.BecomingPrimary);
        Assert.False(asked.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_replica_that_has_followed_as_the_old_build_ends_once_another_acts_and_may_then_begin_with_its_checkpoint()
    {
        await using CoreUnderTest core = await StartAsync(0);
        await PlayFirstAppAsync(core);
        await using CoreUnderTest other = await StartAsync(1);
        await using ScriptedApp follower = await AttachAsync(other);
        await TellAsync(follower, isOther: false, "old");
        await follower.DoneAsync(1);
        await Within.Until(() => other.Status.Snapshot() is { Role: "checkpointer", App.Lsn: >= 1 });

        await using ScriptedApp next = await ChangeBuildAsync(core);
        CoordinatorException ended = await Assert.ThrowsAsync<CoordinatorException>(() => other.Running.OrFail());
        Assert.Equal("IC-3014", ended.Code);
        Assert.Contains("this replica's app: old", ended.Message, StringComparison.Ordinal);

        await using CoreUnderTest again = await StartAsync(2);
        await using ScriptedApp second = await AttachCurrentAsync(again, isOther: true, "old"); // It compares each message.
        await Within.Until(() => again.Status.Snapshot().Role == "checkpointer");
        Assert.False(again.Running.IsCompleted);
    }

    [Fact] // It has compared with the old one: what follows was executed by its own.
    public async Task A_replica_that_has_followed_as_the_new_build_begins_again_when_that_acts_and_may_make_checkpoints_then()
    {
        await using CoreUnderTest core = await StartAsync(0);
        await PlayFirstAppAsync(core);
        await using CoreUnderTest other = await StartAsync(1);
        await using ScriptedApp follower = await AttachAsync(other);
        await TellAsync(follower, isOther: true);
        await follower.DoneAsync(1);
        await using ScriptedApp next = await ChangeBuildAsync(core);
        Assert.Equal("IC-3014", (await Assert.ThrowsAsync<CoordinatorException>(() => other.Running.OrFail())).Code);

        await using CoreUnderTest again = await StartAsync(2);
        await using ScriptedApp second = await AttachCurrentAsync(again, isOther: false, "new");
        await Within.Until(() => again.Status.Snapshot().Role == "checkpointer");
        again.Core.RequestCheckpoint();
        await second.HearAsync(BindingMessageType.TakeCheckpoint);
    }

    [Fact]
    public async Task A_replica_that_hears_of_its_app_s_build_after_the_log_named_another_ends_too()
    {
        await using CoreUnderTest core = await StartAsync(0);
        await PlayFirstAppAsync(core);
        await using CoreUnderTest other = await StartAsync(1);
        await using ScriptedApp follower = await AttachAsync(other);
        await using ScriptedApp next = await ChangeBuildAsync(core);
        // The last record may be an empty one, which nothing proves.
        await Within.Until(() => other.Status.Snapshot().Log.DurableLsn + 1 >= core.Status.Snapshot().Log.DurableLsn);
        Assert.False(other.Running.IsCompleted);
        try
        {
            await TellAsync(follower, isOther: false, "old");
        }
        catch (ConnectionLostException)
        {
            // It has read that, and ended before the writer went on.
        }

        Assert.Equal("IC-3014", (await Assert.ThrowsAsync<CoordinatorException>(() => other.Running.OrFail())).Code);
    }

    [Fact] // What the old build's replicas would save then would count as the new one's.
    public async Task An_app_that_would_take_over_and_goes_gives_back_no_lease_that_a_change_of_builds_holds()
    {
        await using CoreUnderTest core = await StartAsync(0);
        await PlayFirstAppAsync(core);
        await using ScriptedApp next = await AttachAsync(core);
        await next.DoneAsync(1);
        await TellAsync(next, isOther: true);
        await next.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        await using WriteAheadLog log =
            await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, _log);
        Assert.Null(await log.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, default));
        await using (ScriptedApp candidate = await core.ConnectAppAsync())
        {
            BindingHello hello = s_hello with { Features = s_hello.Features | BindingFeatures.Upgrades | BindingFeatures.TakesOver };
            await candidate.SayAsync(BindingMessageType.Hello, hello.Write);
            await candidate.HearAsync(BindingMessageType.Checkpoint);
        }

        await Within.Until(() => core.Status.Snapshot().Upgrade.State == "failed");
        Assert.Null(await log.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, default));
        await SaveAsync(next);
        await next.HearAsync(BindingMessageType.BecomingPrimary);
    }

    [Fact]
    public async Task An_instance_without_replicas_logs_no_builds()
    {
        await using CoreUnderTest core = await LogOneAsync();
        ulong before = core.Core.DurableLsn.Value;
        await using ScriptedApp app = await AttachAsync(core);
        await app.DoneAsync(1);
        await TellAsync(app, isOther: true);
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        await SaveAsync(app);
        await app.HearAsync(BindingMessageType.BecomingPrimary);
        Assert.Equal(before, core.Core.DurableLsn.Value);
    }

    // The first start of a primary, whose app then goes.
    private static async Task PlayFirstAppAsync(CoreUnderTest core)
    {
        await using (ScriptedApp first = await core.ConnectAppAsync())
        {
            await first.BecomePrimaryAsync();
            await first.HearAsync(BindingMessageType.Rpc);
            await first.DoneAsync(1);
            await Within.Until(() => core.Status.Snapshot().App.Lsn >= 1);
        }

        await Within.Until(() => !core.Status.Snapshot().App.Attached);
    }

    // Up to where an app has loaded the newest checkpoint and compared.
    private static async Task<ScriptedApp> AttachCurrentAsync(CoreUnderTest core, bool isOther, string build)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, s_hello.Write);
        await app.HearAsync(BindingMessageType.Checkpoint);
        await TellAsync(app, isOther, build);
        return app;
    }

    // Up to where an app of another build acts.
    private static async Task<ScriptedApp> ChangeBuildAsync(CoreUnderTest core)
    {
        ScriptedApp next = await AttachAsync(core);
        await next.DoneAsync(1);
        await TellAsync(next, isOther: true);
        await next.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        await SaveAsync(next);
        await next.HearAsync(BindingMessageType.BecomingPrimary);
        await next.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        return next;
    }

    private static Task TellAsync(ScriptedApp app, bool isOther, string build = "new") =>
        app.SayAsync(BindingMessageType.BuildCompared, new BuildCompared(isOther, build).Write);

    private static Task SaveAsync(ScriptedApp app) =>
        app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[0]));

    // Up to the first record, which is replay.
    private static async Task<ScriptedApp> AttachAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, s_hello.Write);
        await app.HearAsync(BindingMessageType.RecordInfo);
        return app;
    }

    private Task<CoreUnderTest> StartAsync(int replica) =>
        CoreUnderTest.StartAsync(log: _log, change: options => options.ReplicaId = replica);

    // A coordinator whose log has a record that an app has executed, and one that came when no app was there.
    private async Task<CoreUnderTest> LogTwoAsync()
    {
        CoreUnderTest core = await LogOneAsync();
        await using (ScriptedApp first = await AttachAsync(core))
        {
            await first.DoneAsync(1);
            await TellAsync(first, isOther: false);
            await first.HearAsync(BindingMessageType.BecomingPrimary);
            await first.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
            await Within.Until(() => core.Status.Snapshot().Role == "primary");
        }

        await Within.Until(() => !core.Status.Snapshot().App.Attached);
        await using ScriptedPeer peer = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello);
        await peer.HearWatermarkAsync(FrameKind.Answer);
        ulong before = core.Core.DurableLsn.Value;
        await peer.SendOneAsync(1);
        await Within.Until(() => core.Core.DurableLsn.Value > before);
        return core;
    }

    // A coordinator whose log has one record, which an app has executed.
    private async Task<CoreUnderTest> LogOneAsync()
    {
        await using (CoreUnderTest before = await CoreUnderTest.StartAsync(log: _log))
        {
            await using ScriptedApp app = await before.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await app.HearAsync(BindingMessageType.Rpc);
        }

        return await CoreUnderTest.StartAsync(log: _log);
    }
}
