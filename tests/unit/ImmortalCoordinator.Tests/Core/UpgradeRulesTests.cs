using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>G13, docs/internals/exactly-once.md H22: who acts during an upgrade, and what the log says of it afterwards.</summary>
public sealed class UpgradeRulesTests
{
    private const ulong Upgrades = BindingFeatures.Upgrades;

    [Fact]
    public async Task An_app_that_takes_over_acts_when_its_checkpoint_is_the_newest_and_the_other_is_told()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await FollowAsync(core);
        await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        await SayCheckpointAsync(next);
        await old.HearAsync(BindingMessageType.Replaced);
        await old.DisposeAsync();
        await next.HearAsync(BindingMessageType.BecomingPrimary);
        await next.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        await Within.Until(() => core.Status.Snapshot() is { Role: "primary", Upgrade: { State: "done", From: "v1", To: "v2", Lsn: 1 } });
    }

    [Fact]
    public async Task An_app_that_does_not_convert_is_refused_and_the_other_goes_on()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await FollowAsync(core);
        await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint);
        await next.SayAsync(BindingMessageType.UpgradeFailed, new UpgradeFailure(MayPass: false, "planted").Write);
        BindingRefused refused =
            BindingRefused.Read(await next.HearAsync(BindingMessageType.Refused, before: BindingMessageType.BecomingPrimary));
        Assert.Equal("IC-5003", refused.Code);
        Assert.Contains("planted", refused.Reason, StringComparison.Ordinal);
        await RequireServedAsync(old);
        await Within.Until(() => core.Status.Snapshot().Upgrade.State == "failed");
    }

    [Fact] // The app that serves needs none: it does not pay for what nobody can read any more.
    public async Task An_app_is_refused_when_no_checkpoint_can_be_read_and_the_other_goes_on()
    {
        var disk = new MemoryFileSystem();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk });
        await using ScriptedApp old = await core.ServeAsync();
        foreach (string file in disk.AllFiles().Where(static path => path.EndsWith(".ckpt", StringComparison.Ordinal)))
        {
            disk.FlipBits(file, 100, 0x10);
        }

        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.TakesOver).Write);
        BindingRefused refused =
            BindingRefused.Read(await next.HearAsync(BindingMessageType.Refused, before: BindingMessageType.Checkpoint));
        Assert.Equal("IC-5003", refused.Code);
        Assert.Contains("no checkpoint to begin with", refused.Reason, StringComparison.Ordinal);
        await RequireServedAsync(old);
        Assert.False(core.Running.IsCompleted);
    }

    [Fact]
    public async Task An_app_whose_suspended_calls_are_in_the_way_is_asked_again_and_then_refused()
    {
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(change: static options => options.UpgradeWait = TimeSpan.FromMilliseconds(300));
        await using ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await FollowAsync(core);
        Task<byte[]> refusal = next.HearAsync(BindingMessageType.Refused);
        int asked = 0;
        while (!refusal.IsCompleted)
        {
            asked++;
            await next.SayAsync(BindingMessageType.UpgradeFailed, new UpgradeFailure(MayPass: true, "Bank.Deposit").Write);
            await Task.WhenAny(refusal, Task.Delay(20));
        }

        Assert.Contains("Bank.Deposit", BindingRefused.Read(await refusal).Reason, StringComparison.Ordinal);
        Assert.True(asked > 1);
        await RequireServedAsync(old);
    }

    [Theory]
    [InlineData(BindingMessageType.BecomingPrimary)]
    [InlineData(BindingMessageType.InitialMessage)]
    [InlineData(BindingMessageType.Checkpoint)]
    public async Task An_app_that_follows_and_breaks_a_rule_disturbs_nobody(BindingMessageType offence)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.TakesOver).Write);
        await next.HearAsync(BindingMessageType.Checkpoint);
        await next.SayAsync(offence, static output => output.Write((ReadOnlySpan<byte>)[2]));
        await Assert.ThrowsAnyAsync<Exception>(() => next.HearAsync(BindingMessageType.BecomingPrimary));
        await RequireServedAsync(old);
    }

    [Fact]
    public async Task Only_one_app_takes_over_at_a_time()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.TakesOver).Write);
        await next.HearAsync(BindingMessageType.Checkpoint);
        await using ScriptedApp third = await core.ConnectAppAsync();
        await third.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.TakesOver).Write);
        Assert.Equal("IC-5004", (await third.HearRefusalAsync()).Code);
    }

    [Fact] // The checkpoint gets its name, and from there on none can be opened: nobody can say whether it has.
    public async Task An_app_whose_checkpoint_may_be_the_newest_has_the_place()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await FollowAsync(core);
        await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        disk.RefusesCheckpoints = true;
        await SayCheckpointAsync(next);
        await old.HearAsync(BindingMessageType.Replaced);
        disk.RefusesCheckpoints = false;
        await old.DisposeAsync();
        await next.HearAsync(BindingMessageType.BecomingPrimary);
        await Within.Until(() => core.Status.Snapshot().Upgrade is { State: "committed", From: "v1", To: "v2", Lsn: 1 });
    }

    [Fact] // The cut lies before it, so both versions would execute it.
    public async Task An_app_that_is_held_gets_no_record_that_was_being_read_when_it_was()
    {
        var disk = new HeldDisk();
        var limits = new CoreLimits { CachedRecords = 1, DeliveryFlushBytes = 1 };
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment, limits: limits);
        await using ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await FollowAsync(core);
        await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        await LogAsync(core, old);
        await LogAsync(core, old); // It is not in the cache any more when the old app may be given it.
        TaskCompletionSource read = disk.HoldNextRead();
        try
        {
            await next.SayAsync(BindingMessageType.UpgradeFailed, new UpgradeFailure(MayPass: true, "planted").Write);
            await disk.UntilReadIsHeldAsync();
            await old.DoneAsync(RecordInfo.Read(await old.HearAsync(BindingMessageType.RecordInfo)).Lsn);
            await next.DoneAsync(RecordInfo.Read(await next.HearAsync(BindingMessageType.RecordInfo)).Lsn);
            await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        }
        finally
        {
            read.SetResult();
        }

        await Task.Delay(100); // For who would give it.
        await SayCheckpointAsync(next);
        await old.HearAsync(BindingMessageType.Replaced, before: BindingMessageType.RecordInfo);
        await old.DisposeAsync();
        await next.HearAsync(BindingMessageType.BecomingPrimary, before: BindingMessageType.RecordInfo);
        await next.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        await next.HearAsync(BindingMessageType.Rpc);
    }

    [Fact]
    public async Task Of_two_apps_that_would_take_over_and_come_at_once_one_is_refused()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedApp old = await core.ServeAsync();
        TaskCompletionSource opening = disk.HoldCheckpoints();
        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.TakesOver).Write);
        await next.HearAsync(BindingMessageType.Welcome); // What it is to begin with is just being opened.
        await using ScriptedApp third = await core.ConnectAppAsync();
        try
        {
            await third.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.TakesOver).Write);
            Assert.Equal("IC-5004", (await third.HearRefusalAsync()).Code);
        }
        finally
        {
            opening.SetResult();
        }

        await next.HearAsync(BindingMessageType.Checkpoint);
    }

    [Fact]
    public async Task An_app_that_would_take_over_before_there_is_a_checkpoint_is_refused_and_disturbs_nobody()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp first = await core.ConnectAppAsync();
        await first.AttachFirstAsync();
        await using ScriptedApp early = await core.ConnectAppAsync();
        await early.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.TakesOver).Write);
        Assert.Equal("IC-5004", (await early.HearRefusalAsync()).Code);
        await first.AnswerFirstStartAsync();
        await first.HearAsync(BindingMessageType.Rpc);
    }

    [Fact]
    public async Task An_app_that_wants_another_version_is_converted_before_it_acts()
    {
        var log = new LogStoreEnvironment();
        await UpgradeAloneAsync(log);
        await using CoreUnderTest second = await CoreUnderTest.StartAsync(log: log);
        await using ScriptedApp app = await second.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades).Write);
        await app.HearAsync(BindingMessageType.Checkpoint);
        await SayVersionAsync(app, "v2", "");
        await app.HearAsync(BindingMessageType.BecomingPrimary, before: BindingMessageType.UpgradeTakeCheckpoint);
    }

    [Fact] // docs/internals/exactly-once.md H22
    public async Task A_replay_from_before_an_upgrade_converts_at_the_same_record()
    {
        var log = new LogStoreEnvironment();
        await UpgradeAloneAsync(log);
        await DeleteNewestCheckpointAsync(log);
        await using CoreUnderTest second = await CoreUnderTest.StartAsync(log: log);
        await using ScriptedApp app = await second.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades).Write);
        await app.HearAsync(BindingMessageType.Checkpoint);
        await SayVersionAsync(app, "v1", "");
        Assert.Equal([2, (byte)'v', (byte)'2'],
            await app.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary));
        await app.DoneAsync(1);
        await SayCheckpointAsync(app);
        await app.HearAsync(BindingMessageType.BecomingPrimary);
        Assert.Equal(0, second.Status.Snapshot().Checkpoints.Taken);
    }

    [Fact] // docs/guide/builds.md: what lies after an upgrade was executed by the build that made it.
    public async Task A_replay_from_before_an_upgrade_tells_which_build_executed_what_follows()
    {
        var log = new LogStoreEnvironment();
        await UpgradeAloneAsync(log, BindingFeatures.Builds, "b2");
        await DeleteNewestCheckpointAsync(log);
        await using CoreUnderTest second = await CoreUnderTest.StartAsync(log: log);
        await using ScriptedApp app = await second.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.Builds).Write);
        await app.HearAsync(BindingMessageType.Checkpoint);
        await SayVersionAsync(app, "v1", "");
        await app.SayAsync(BindingMessageType.BuildCompared, new BuildCompared(false, "b1").Write);
        byte[] asked = await app.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        Assert.Equal([2, (byte)'v', (byte)'2', 2, (byte)'b', (byte)'2'], asked);
        await app.DoneAsync(1);
        await app.SayAsync(BindingMessageType.BuildCompared, new BuildCompared(true, "b3").Write);
        await SayCheckpointAsync(app);

        // Another build than the log names: it has its own checkpoint before it acts.
        await app.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        await SayCheckpointAsync(app);
        await app.HearAsync(BindingMessageType.BecomingPrimary);
    }

    [Fact] // docs/internals/exactly-once.md H22
    public async Task An_app_that_cannot_convert_is_not_led_across_an_upgrade()
    {
        var log = new LogStoreEnvironment();
        await UpgradeAloneAsync(log);
        await DeleteNewestCheckpointAsync(log);
        await using CoreUnderTest second = await CoreUnderTest.StartAsync(log: log);
        await using ScriptedApp app = await second.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        BindingRefused refused =
            BindingRefused.Read(await app.HearAsync(BindingMessageType.Refused, before: BindingMessageType.Checkpoint));
        Assert.Equal("IC-5002", refused.Code);
        Assert.Contains("v2", refused.Reason, StringComparison.Ordinal);
    }

    [Fact] // The newest checkpoint is gone: what would take the place of the new version follows the log through the upgrade, and back.
    public async Task An_app_that_follows_through_an_upgrade_converts_to_what_it_wanted_from_the_first()
    {
        var log = new LogStoreEnvironment();
        await using CoreUnderTest core = await StartBeforeUpgradeAsync(log);
        await using ScriptedApp serving = await ServeThroughUpgradeAsync(core);
        await using ScriptedApp next = await FollowThroughUpgradeAsync(core);
        await SayCheckpointAsync(next);
        Assert.Equal([0], await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary));
        await SayCheckpointAsync(next);
        await serving.HearAsync(BindingMessageType.Replaced);
        await serving.DisposeAsync();
        await next.HearAsync(BindingMessageType.BecomingPrimary);
        await next.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        await Within.Until(() => core.Status.Snapshot() is { Role: "primary", Upgrade: { State: "done", From: "v2", To: "v1" } });
    }

    [Fact]
    public async Task An_app_that_cannot_follow_through_an_upgrade_is_refused_and_the_other_goes_on()
    {
        var log = new LogStoreEnvironment();
        await using CoreUnderTest core = await StartBeforeUpgradeAsync(log);
        await using ScriptedApp serving = await ServeThroughUpgradeAsync(core);
        await using ScriptedApp next = await FollowThroughUpgradeAsync(core);
        await next.SayAsync(BindingMessageType.UpgradeFailed, new UpgradeFailure(MayPass: false, "planted").Write);
        BindingRefused refused =
            BindingRefused.Read(await next.HearAsync(BindingMessageType.Refused, before: BindingMessageType.BecomingPrimary));
        Assert.Equal("IC-5003", refused.Code);
        Assert.Contains("through its upgrade from v1 to v2 after record 1: planted", refused.Reason, StringComparison.Ordinal);
        await serving.SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
        await RequireServedAsync(serving);
    }

    [Fact]
    public async Task A_replica_makes_no_checkpoints_while_an_upgrade_is_tried_and_begins_again_when_it_has_happened()
    {
        var log = new LogStoreEnvironment();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options => options.ReplicaId = 0, log: log);
        await using ScriptedApp old = await core.ServeAsync();
        await using CoreUnderTest other = await CoreUnderTest.StartAsync(change: static options => options.ReplicaId = 1, log: log);
        await using ScriptedApp follower = await other.ConnectAppAsync();
        await follower.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        Assert.Equal(BindingMode.Secondary, BindingWelcome.Read(await follower.HearAsync(BindingMessageType.Welcome)).Mode);
        await Within.Until(() => other.Status.Snapshot().Role == "checkpointer");
        await using ScriptedApp misplaced = await other.ConnectAppAsync();
        await misplaced.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.TakesOver).Write);
        Assert.Equal("IC-5004", (await misplaced.HearRefusalAsync()).Code);

        await using ScriptedApp next = await FollowAsync(core);
        await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        // It gives its lock back, which the other waits for, and then shows it.
        await Within.Until(() => other.Status.Snapshot().Role == "secondary");
        await SayCheckpointAsync(next);
        await old.HearAsync(BindingMessageType.Replaced);
        CoordinatorException ended = await Assert.ThrowsAsync<CoordinatorException>(() => other.Running.OrFail());
        Assert.Equal("IC-3010", ended.Code);
    }

    [Theory] // The primary serves as the new version and does not know that the checkpoint of its upgrade is lost.
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_replica_that_begins_before_an_upgrade_follows_through_it(bool damaged)
    {
        var log = new LogStoreEnvironment();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options => options.ReplicaId = 0, log: log);
        await using ScriptedApp serving = await UpgradeBesideAsync(core);
        await (damaged ? DamageNewestCheckpointAsync(log) : DeleteNewestCheckpointAsync(log));

        await using CoreUnderTest other = await CoreUnderTest.StartAsync(change: static options => options.ReplicaId = 1, log: log);
        await using ScriptedApp follower = await other.ConnectAppAsync();
        await follower.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades).Write);
        Assert.Equal(BindingMode.Secondary, BindingWelcome.Read(await follower.HearAsync(BindingMessageType.Welcome)).Mode);
        await ConvertAtUpgradeAsync(follower);
        await SayCheckpointAsync(follower);
        await RequireServedAsync(serving);
        Assert.Equal([0, 2, 2], await follower.HearAsync(BindingMessageType.Rpc, before: BindingMessageType.BecomingPrimary));
        Assert.False(other.Running.IsCompleted);
    }

    [Fact]
    public async Task A_replica_is_asked_for_a_checkpoint_only_behind_the_last_upgrade_that_it_follows_through()
    {
        var log = new LogStoreEnvironment();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options => options.ReplicaId = 0, log: log);
        await using ScriptedApp serving = await UpgradeBesideAsync(core);
        await DamageNewestCheckpointAsync(log);

        await using CoreUnderTest other = await CoreUnderTest.StartAsync(change: static options => options.ReplicaId = 1, log: log);
        await Within.Until(() => other.Status.Snapshot().Role == "checkpointer");
        other.Core.RequestCheckpoint();
        await using ScriptedApp follower = await other.ConnectAppAsync();
        await follower.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades).Write);
        await follower.HearAsync(BindingMessageType.Checkpoint);
        await follower.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.TakeCheckpoint);
        await follower.DoneAsync(1);
        await SayCheckpointAsync(follower);
        await follower.HearAsync(BindingMessageType.TakeCheckpoint);
        await SayCheckpointAsync(follower);
        await Within.Until(() => other.Status.Snapshot().Checkpoints.Taken == 1);
    }

    [Fact]
    public async Task A_replica_that_upgrades_when_it_is_promoted_is_asked_to_convert_behind_the_checkpoint_that_it_still_writes()
    {
        var log = new LogStoreEnvironment();
        CoreUnderTest primary = await CoreUnderTest.StartAsync(change: static options => options.ReplicaId = 0, log: log);
        ScriptedApp old = await primary.ServeAsync();
        await RequireServedAsync(old);
        await using CoreUnderTest other = await CoreUnderTest.StartAsync(change: static options => options.ReplicaId = 1, log: log);
        await using ScriptedApp app = await other.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades).Write);
        await app.HearAsync(BindingMessageType.Checkpoint);
        await SayVersionAsync(app, "v1", "v2");
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DoneAsync(1);
        await app.DoneAsync(RecordInfo.Read(await app.HearAsync(BindingMessageType.RecordInfo)).Lsn);
        await Within.Until(() => other.Status.Snapshot() is { Role: "checkpointer", Ready: true });
        other.Core.RequestCheckpoint();
        await app.HearAsync(BindingMessageType.TakeCheckpoint);

        await old.DisposeAsync();
        await primary.DisposeAsync();
        await Within.Until(() => other.Status.Snapshot().Role == "recovering");
        await Task.Delay(300); // For who would not wait.
        await SayCheckpointAsync(app);
        await app.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        await app.SayAsync(BindingMessageType.UpgradeFailed, new UpgradeFailure(MayPass: false, "planted").Write);
        BindingRefused refused =
            BindingRefused.Read(await app.HearAsync(BindingMessageType.Refused, before: BindingMessageType.BecomingPrimary));
        Assert.Contains("planted", refused.Reason, StringComparison.Ordinal);
        Assert.DoesNotContain(other.Lines.All, static line => line.Contains("upgraded from v1 to v2", StringComparison.Ordinal));
    }

    // A life in which the state became v2 after record 1.
    private static async Task UpgradeAloneAsync(LogStoreEnvironment log, ulong features = 0, string build = "")
    {
        await using CoreUnderTest first = await CoreUnderTest.StartAsync(log: log);
        await using (ScriptedApp old = await first.ServeAsync())
        {
        }

        await using ScriptedApp app = await first.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | features).Write);
        await app.HearAsync(BindingMessageType.Checkpoint);
        await SayVersionAsync(app, "v1", "v2");
        await SayBuildAsync(app, build.Length == 0 ? "" : "b1");
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DoneAsync(1);
        await app.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        await SayBuildAsync(app, build);
        await SayCheckpointAsync(app);
        await app.HearAsync(BindingMessageType.BecomingPrimary);
        Assert.Contains(first.Lines.All, static line => line.Contains("upgraded from v1 to v2", StringComparison.Ordinal));
    }

    private static async Task SayBuildAsync(ScriptedApp app, string build)
    {
        if (build.Length > 0)
        {
            await app.SayAsync(BindingMessageType.BuildCompared, new BuildCompared(false, build).Write);
        }
    }

    // As the other, while the old app serves.
    private static async Task<ScriptedApp> UpgradeBesideAsync(CoreUnderTest core)
    {
        await using ScriptedApp old = await core.ServeAsync();
        ScriptedApp next = await FollowAsync(core);
        await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint);
        await SayCheckpointAsync(next);
        await old.HearAsync(BindingMessageType.Replaced);
        await old.DisposeAsync();
        await next.HearAsync(BindingMessageType.BecomingPrimary);
        await next.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        await next.SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
        await RequireServedAsync(next); // This record proves to replicas that the one before, which says what has happened, is durable.
        return next;
    }

    private static async Task<CoreUnderTest> StartBeforeUpgradeAsync(LogStoreEnvironment log)
    {
        await UpgradeAloneAsync(log);
        await DeleteNewestCheckpointAsync(log);
        return await CoreUnderTest.StartAsync(log: log);
    }

    private static async Task<ScriptedApp> ServeThroughUpgradeAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades).Write);
        await ConvertAtUpgradeAsync(app);
        await SayCheckpointAsync(app);
        await app.HearAsync(BindingMessageType.BecomingPrimary);
        await app.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        // In place of the one that is gone. If it were given, nobody would follow through the upgrade any more.
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        await app.SayAsync(BindingMessageType.CheckpointDeclined, new CheckpointDeclined("planted").Write);
        return app;
    }

    private static async Task<ScriptedApp> FollowThroughUpgradeAsync(CoreUnderTest core)
    {
        ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.TakesOver).Write);
        Assert.Equal(BindingMode.Upgrade, BindingWelcome.Read(await next.HearAsync(BindingMessageType.Welcome)).Mode);
        await ConvertAtUpgradeAsync(next);
        return next;
    }

    private static async Task ConvertAtUpgradeAsync(ScriptedApp app)
    {
        await app.HearAsync(BindingMessageType.Checkpoint);
        await SayVersionAsync(app, "v1", "");
        Assert.Equal([2, (byte)'v', (byte)'2'],
            await app.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary));
        await app.DoneAsync(1);
    }

    private static async Task DeleteNewestCheckpointAsync(LogStoreEnvironment log) =>
        await log.Memory.DeleteAsync(await NewestCheckpointAsync(log));

    private static async Task DamageNewestCheckpointAsync(LogStoreEnvironment log) =>
        ((MemoryFileSystem)log.Memory).FlipBits(await NewestCheckpointAsync(log), 100, 0x10);

    private static async Task<string> NewestCheckpointAsync(LogStoreEnvironment log)
    {
        const string folder = "/bank/checkpoints";
        IEnumerable<string> files = await log.Memory.ListAsync(folder);
        return $"{folder}/{files.Where(static name => name.EndsWith(".ckpt", StringComparison.Ordinal)).Max()}";
    }

    private static BindingHello HelloOf(ulong features) => ScriptedApp.Hello with { Features = features };

    // Up to the record at which the other app is.
    private static async Task<ScriptedApp> FollowAsync(CoreUnderTest core)
    {
        ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, HelloOf(Upgrades | BindingFeatures.TakesOver).Write);
        Assert.Equal(BindingMode.Upgrade, BindingWelcome.Read(await next.HearAsync(BindingMessageType.Welcome)).Mode);
        await next.HearAsync(BindingMessageType.Checkpoint);
        await SayVersionAsync(next, "v1", "v2");
        await next.HearAsync(BindingMessageType.Rpc);
        await next.DoneAsync(1);
        return next;
    }

    // It sends itself a message, which it is not given yet.
    private static async Task LogAsync(CoreUnderTest core, ScriptedApp app)
    {
        Lsn before = core.Core.DurableLsn;
        await app.SayAsync(BindingMessageType.Impulses, static output => output.Write((ReadOnlySpan<byte>)[0, 1, 8, 0, 0, 2, 2]));
        await Within.Until(() => core.Core.DurableLsn > before);
    }

    // It sends itself a message and gets it: nothing has changed for it.
    private static async Task RequireServedAsync(ScriptedApp old)
    {
        await old.SayAsync(BindingMessageType.Impulses, static output => output.Write((ReadOnlySpan<byte>)[0, 1, 8, 0, 0, 2, 2]));
        Assert.Equal([0, 2, 2], await old.HearAsync(BindingMessageType.Rpc, before: BindingMessageType.Replaced));
    }

    private static Task SayVersionAsync(ScriptedApp app, string version, string goal) =>
        app.SayAsync(BindingMessageType.StateVersion, new StateVersion(version, goal).Write);

    private static async Task SayCheckpointAsync(ScriptedApp app)
    {
        await app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[6]));
        await app.SayBytesAsync([4, 79, 0]);
    }
}
