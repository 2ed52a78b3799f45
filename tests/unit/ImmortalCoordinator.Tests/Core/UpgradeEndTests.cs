using System.Buffers;
using Ambrosia.Coordinator.Settings;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>How an attempt to upgrade ends before it has happened: soon, with its reason, and without the checkpointer's lease.</summary>
public sealed class UpgradeEndTests
{
    private static readonly BindingHello s_successor =
        ScriptedApp.Hello with { Features = BindingFeatures.Upgrades | BindingFeatures.TakesOver };

    private readonly LogStoreEnvironment _log = new();

    [Fact] // No replica would make checkpoints until the next upgrade.
    public async Task An_app_that_dies_while_it_converts_leaves_the_checkpoints_to_a_replica_although_another_waits_for_its_place()
    {
        await using CoreUnderTest core = await StartAsync(0);
        await using (ScriptedApp old = await core.ServeAsync())
        {
        }

        await using CoreUnderTest other = await StartAsync(1);
        await using ScriptedApp follower = await other.ConnectAppAsync();
        await follower.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await Within.Until(() => other.Status.Snapshot().Role == "checkpointer");
        ScriptedApp converting = await core.ConnectAppAsync();
        await converting.SayAsync(
            BindingMessageType.Hello, (ScriptedApp.Hello with { Features = BindingFeatures.Upgrades }).Write);
        await converting.HearAsync(BindingMessageType.Checkpoint);
        await converting.SayAsync(BindingMessageType.StateVersion, new StateVersion("v1", "v2").Write);
        await converting.HearAsync(BindingMessageType.Rpc);
        await converting.DoneAsync(1);
        await converting.HearAsync(BindingMessageType.UpgradeTakeCheckpoint);
        await Within.Until(() => other.Status.Snapshot().Role == "secondary");
        await using ScriptedApp next = await BeginAsync(core);
        await converting.DisposeAsync();
        await RequireAsync(() => other.Status.Snapshot().Role == "checkpointer");
    }

    [Fact] // The next one was told for 30 s that another one is about to replace the attached app.
    public async Task An_app_that_ends_while_the_checkpointer_is_waited_for_leaves_its_place()
    {
        await using CoreUnderTest core = await StartAsync(0);
        await using ScriptedApp old = await core.ServeAsync();
        await HoldCheckpointerAsync();
        await (await FollowAsync(core)).DisposeAsync();
        await RequireAsync(() => core.Status.Snapshot().Upgrade is { State: "failed" });
        Assert.DoesNotContain("another replica", core.Status.Snapshot().Upgrade.Text, StringComparison.Ordinal);
        await using ScriptedApp next = await BeginAsync(core);
    }

    [Fact]
    public async Task When_the_serving_app_ends_while_the_checkpointer_is_waited_for_that_is_said()
    {
        await using CoreUnderTest core = await StartAsync(0);
        ScriptedApp old = await core.ServeAsync();
        await HoldCheckpointerAsync();
        await using ScriptedApp next = await FollowAsync(core);
        await old.DisposeAsync();
        await RequireAsync(() => core.Status.Snapshot().Upgrade is { State: "failed" });
        Assert.Contains("the app that serves has gone", core.Status.Snapshot().Upgrade.Text, StringComparison.Ordinal);
    }

    [Fact] // It is stopped, or slow: there is nothing to take over any more.
    public async Task An_app_that_stands_still_beside_one_that_has_gone_keeps_no_place()
    {
        await using CoreUnderTest core = await StartAsync(0);
        ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp still = await BeginAsync(core);
        await old.DisposeAsync();
        await RequireAsync(() => core.Status.Snapshot().Upgrade is { State: "failed" });
        Assert.Contains("the app that serves has gone", core.Status.Snapshot().Upgrade.Text, StringComparison.Ordinal);
    }

    [Fact] // It had the place, and a connection that was broken before the time was over.
    public async Task An_app_whose_checkpoint_gets_its_name_when_the_time_is_over_acts()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(
            change: static options => options.UpgradeWait = TimeSpan.FromSeconds(2), log: disk.Environment);
        await using ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await ConvertAsync(core);
        TaskCompletionSource opening = disk.HoldCheckpoints();
        await SayCheckpointAsync(next);
        await Task.Delay(TimeSpan.FromSeconds(2.5));
        opening.SetResult();
        await old.HearAsync(BindingMessageType.Replaced);
        await old.DisposeAsync();
        Assert.Null(await Record.ExceptionAsync(() => next.HearAsync(BindingMessageType.BecomingPrimary)));
    }

    [Fact] // The coordinator ended, although an app stood ready that had the place for good.
    public async Task An_app_that_goes_when_another_one_has_its_place_for_good_is_not_missed()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(
            change: static options => options.OnAppExit = AppExitPolicy.Stop, log: disk.Environment);
        ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await ConvertAsync(core);
        disk.Hold();
        await SayCheckpointAsync(next);
        await disk.UntilHeldAsync(); // The checkpoint has its name, and that is just being logged.
        await old.DisposeAsync();
        await Task.Delay(300); // Its end is seen.
        disk.Release();
        Assert.Null(await Record.ExceptionAsync(() => next.HearAsync(BindingMessageType.BecomingPrimary)));
        Assert.False(core.Running.IsCompleted);
    }

    [Fact] // It was told to end an app that was not there.
    public async Task Who_comes_while_another_one_takes_the_place_of_an_app_that_has_gone_is_told_so()
    {
        await using CoreUnderTest core = await StartAsync(0);
        ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await ConvertAsync(core);
        await old.DisposeAsync();
        await using ScriptedApp again = await core.ConnectAppAsync();
        await again.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        Assert.Contains("is just taking the place", (await again.HearRefusalAsync()).Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lease_that_cannot_be_had_for_an_upgrade_ends_the_attempt_and_not_the_instance()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(
            change: static options => options.ReplicaId = 0, log: disk.Environment);
        await using ScriptedApp old = await core.ServeAsync();
        disk.RefusesLocks = NamedLeases.Checkpointer;
        await using ScriptedApp next = await FollowAsync(core);
        byte[] told = [];
        Assert.Null(await Record.ExceptionAsync(async () => told = await next.HearAsync(BindingMessageType.Refused)));
        Assert.Equal("IC-5003", BindingRefused.Read(told).Code);
        Assert.False(core.Running.IsCompleted);
    }

    [Fact] // It waited for the end of a turn, and the stop for it.
    public async Task A_stop_ends_an_upgrade_that_waits_for_the_turn_of_the_app_that_serves()
    {
        CoreUnderTest core = await CoreUnderTest.StartAsync(
            change: static options => options.DrainTimeout = options.UpgradeWait = TimeSpan.FromHours(1));
        await using ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await FollowAsync(core);
        await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint);
        await old.SayAsync(BindingMessageType.Impulses, static output => output.Write(Convert.FromHexString("00010a0000020200")));
        await next.SayAsync(BindingMessageType.UpgradeFailed, new UpgradeFailure(MayPass: true, "planted").Write);
        await old.HearAsync(BindingMessageType.Rpc); // It never says that it has executed this.
        await Task.Delay(300); // The next try holds it.
        Task stop = core.DisposeAsync().AsTask();
        Assert.Null(await Record.ExceptionAsync(() => old.HearAsync(BindingMessageType.TakeCheckpoint)));
        await old.DisposeAsync();
        await stop;
    }

    [Fact] // It is held for an upgrade: the next start executed all since the checkpoint before.
    public async Task A_stop_during_an_upgrade_leaves_a_last_checkpoint()
    {
        CoreUnderTest core = await StartAsync(0);
        await using ScriptedApp old = await core.ServeAsync();
        await using ScriptedApp next = await ConvertAsync(core);
        Task stop = core.DisposeAsync().AsTask();
        Assert.Null(await Record.ExceptionAsync(
            () => old.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.Drain)));
        await SayCheckpointAsync(old);
        await old.HearAsync(BindingMessageType.Drain);
        await old.DisposeAsync();
        await stop;
    }

    private Task<CoreUnderTest> StartAsync(int replica) => CoreUnderTest.StartAsync(
        change: options => (options.ReplicaId, options.UpgradeWait) = (replica, TimeSpan.FromHours(1)), log: _log);

    // A replica that makes a checkpoint and stands still.
    private async Task HoldCheckpointerAsync()
    {
        WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, _log);
        Assert.NotNull(await log.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, default));
    }

    // One that would take the other's place, and has not said yet what it holds.
    private static async Task<ScriptedApp> BeginAsync(CoreUnderTest core)
    {
        ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, s_successor.Write);
        Assert.Equal(BindingMode.Upgrade, BindingWelcome.Read(await next.HearAsync(BindingMessageType.Welcome)).Mode);
        await next.HearAsync(BindingMessageType.Checkpoint);
        return next;
    }

    // Up to the record at which the other app is: now the checkpointer is waited for.
    private static async Task<ScriptedApp> FollowAsync(CoreUnderTest core)
    {
        await Within.Until(() => core.Status.Snapshot().App.Lsn >= 1); // Else there is nothing to follow yet.
        ScriptedApp next = await BeginAsync(core);
        await next.SayAsync(BindingMessageType.StateVersion, new StateVersion("v1", "v2").Write);
        await next.HearAsync(BindingMessageType.Rpc);
        await next.DoneAsync(1);
        await Within.Until(() => core.Core.DurableLsn > new Lsn(1)); // It is said in the log,
        await Task.Delay(300); // or something else is.
        return next;
    }

    // Up to where it is asked for its converted state.
    private static async Task<ScriptedApp> ConvertAsync(CoreUnderTest core)
    {
        ScriptedApp next = await FollowAsync(core);
        await next.HearAsync(BindingMessageType.UpgradeTakeCheckpoint, before: BindingMessageType.BecomingPrimary);
        return next;
    }

    private static async Task SayCheckpointAsync(ScriptedApp app)
    {
        await app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[6]));
        await app.SayBytesAsync([4, 79, 0]);
    }

    private static async Task RequireAsync(Func<bool> happened) =>
        Assert.Null(await Record.ExceptionAsync(() => Within.Until(happened, Patience.Time / 2)));
}
