using System.Buffers;
using Ambrosia.Coordinator.Operations;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Poison;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>A primary leaves a checkpoint at its clean stop, whichever replica makes them while it serves.</summary>
public sealed class CleanStopOfReplicasTests
{
    private readonly LogStoreEnvironment _disk = new();

    [Fact] // All replicas may stop at once, and begin again with other code.
    public async Task A_primary_leaves_a_checkpoint_beside_the_replica_that_makes_them()
    {
        CoreUnderTest primary = await StartAsync(0);
        await using ScriptedApp app = await ServeAsync(primary);
        await using CoreUnderTest secondary = await StartAsync(1);
        await using ScriptedApp follower = await FollowAsync(secondary);
        await Within.Until(() => secondary.Status.Snapshot().Role == "checkpointer");

        await StopAfterCheckpointAsync(primary, app);

        Assert.NotEqual(0u, await NewestAsync());
    }

    [Fact]
    public async Task A_primary_whose_app_asks_to_leave_leaves_a_checkpoint_beside_the_replica_that_makes_them()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        await using ScriptedApp app = await ServeAsync(primary);
        await using CoreUnderTest secondary = await StartAsync(1);
        await using ScriptedApp follower = await FollowAsync(secondary);
        await Within.Until(() => secondary.Status.Snapshot().Role == "checkpointer");

        await AskAsync(app);
        await app.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.Goodbye);
        await AnswerAsync(app);
        await app.HearAsync(BindingMessageType.Goodbye);

        Assert.NotEqual(0u, await NewestAsync());
    }

    [Fact] // Its lock stays with it, whether it stands still or died on a machine that the store cannot look at.
    public async Task A_primary_does_not_wait_for_a_checkpointer_that_answers_nothing()
    {
        CoreUnderTest primary = await StartAsync(0);
        await using ScriptedApp app = await ServeAsync(primary);
        await using WriteAheadLog log = await OpenAsync(_disk);
        await using (await log.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, default))
        {
            await StopAfterCheckpointAsync(primary, app);
        }

        Assert.NotEqual(0u, await NewestAsync());
    }

    [Fact] // 64 KiB of it a second: that would take longer than the test waits.
    public async Task A_primary_does_not_wait_for_a_checkpoint_that_another_replica_is_writing()
    {
        CoreUnderTest primary = await StartAsync(0);
        await using ScriptedApp app = await ServeAsync(primary);
        // Over an hour for 4 MiB.
        await using CoreUnderTest secondary = await StartAsync(1, static options => options.CheckpointRate = 1 << 10);
        await using ScriptedApp follower = await FollowAsync(secondary);
        await Within.Until(() => secondary.Status.Snapshot().Role == "checkpointer");
        Task<ulong> slow = secondary.Status.CheckpointAsync(default);
        await follower.HearAsync(BindingMessageType.TakeCheckpoint);
        Task writing = AnswerAsync(follower, 4 << 20); // Is taken as fast as it is written.

        await StopAfterCheckpointAsync(primary, app);

        // Become the primary it hurries, and names its own of the same record.
        await writing.OrFail();
        Assert.NotEqual(0u, await slow.OrFail());
        await follower.HearAsync(BindingMessageType.BecomingPrimary);
        Assert.NotEqual(0u, await NewestAsync());
    }

    [Fact]
    public async Task A_primary_takes_no_checkpoint_of_what_another_replica_has_saved()
    {
        // Unknown to it: it looks at each.
        CoreUnderTest primary = await StartAsync(0, static options => options.Heartbeat = TimeSpan.FromHours(1));
        await using ScriptedApp app = await ServeAsync(primary);
        await using CoreUnderTest secondary = await StartAsync(1);
        await using ScriptedApp follower = await FollowAsync(secondary);
        await Within.Until(() => secondary.Status.Snapshot().Role == "checkpointer");
        Task<ulong> taken = secondary.Status.CheckpointAsync(default);
        await follower.HearAsync(BindingMessageType.TakeCheckpoint);
        await AnswerAsync(follower);
        Assert.NotEqual(0u, await taken.OrFail());

        Task stopping = primary.DisposeAsync().AsTask();
        await app.HearAsync(BindingMessageType.Drain, before: BindingMessageType.TakeCheckpoint);
        await app.DisposeAsync();
        await stopping.OrFail();
    }

    [Fact] // docs/operate/replicas.md#moving: that one has executed everything, and is waited for.
    public async Task A_primary_that_hands_over_to_a_replica_takes_no_checkpoint_before()
    {
        await using CoreUnderTest primary = await StartAsync(0, static options => options.Heartbeat = TimeSpan.FromMilliseconds(20));
        await using ScriptedApp app = await ServeAsync(primary);
        await using CoreUnderTest secondary = await StartAsync(1, static options => options.TakeOver = true);
        await using ScriptedApp follower = await FollowAsync(secondary);

        await app.HearAsync(BindingMessageType.Drain, before: BindingMessageType.TakeCheckpoint);
        await app.DisposeAsync();
        await primary.Running.OrFail();
        await follower.HearAsync(BindingMessageType.BecomingPrimary);
    }

    [Fact] // docs/operate/replicas.md#moving: nobody has followed for it.
    public async Task A_primary_that_hands_over_to_a_process_without_a_number_takes_a_checkpoint_before()
    {
        await using CoreUnderTest primary = await StartAsync(0, static options => options.Heartbeat = TimeSpan.FromMilliseconds(20));
        await using ScriptedApp app = await ServeAsync(primary);
        Task<CoreUnderTest> starting = StartAsync(null, static options => options.TakeOver = true);

        await app.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.Drain);
        await AnswerAsync(app);
        await app.HearAsync(BindingMessageType.Drain);
        await app.DisposeAsync();
        await primary.Running.OrFail();
        await using CoreUnderTest successor = await starting.OrFail();
        await using ScriptedApp next = await PoisonedApp.ComeBackAsync(successor, ScriptedApp.Hello);

        Assert.NotEqual(0u, await NewestAsync());
    }

    [Fact] // docs/internals/quarantine.md#checkpoints-and-decisions-beside-replicas
    public async Task Nobody_that_stops_while_a_message_is_being_decided_about_leaves_a_checkpoint_with_it()
    {
        var disk = new HeldDisk();
        CoreUnderTest primary = await StartAsync(0, disk: disk.Environment);
        RecordInfo record = await PoisonedApp.LiveAndDieAsync(primary, 5);
        await PoisonedApp.DieAgainAsync(primary, record.Lsn, 0);
        await using CoreUnderTest secondary = await StartAsync(1, disk: disk.Environment);
        await using ScriptedApp survivor = await PoisonedApp.ComeBackAsync(
            secondary, PoisonedApp.Hello with { Features = PoisonedApp.Hello.Features | BindingFeatures.Farewell });
        await survivor.ReplayToAsync(record.Lsn);
        await survivor.HearAsync(BindingMessageType.Rpc);
        await survivor.ReportAsync(record.Lsn, 1, complete: true);
        await Within.Until(() => secondary.Status.Snapshot() is { Role: "checkpointer" } status && status.App.Lsn >= record.Lsn);
        TaskCompletionSource deciding = disk.HoldCheckpoints(); // With the lock it looks for the newest one.
        Task<string> decision = primary.Status.ChangeDeadLetterAsync(
            DeadLetterVerb.Quarantine, new MessagePosition(record.Lsn, 0), default);
        await Within.Until(() => secondary.Status.Snapshot().Role == "secondary");

        await AskAsync(survivor);
        await survivor.HearAsync(BindingMessageType.Goodbye, before: BindingMessageType.TakeCheckpoint);
        Task stopping = primary.DisposeAsync().AsTask();
        Assert.False(decision.IsCompleted);
        deciding.SetResult();
        await stopping.OrFail();

        Assert.True(await NewestAsync(disk.Environment) < record.Lsn);
    }

    private Task<CoreUnderTest> StartAsync(
        int? number, Action<CoordinatorOptions>? change = null, LogStoreEnvironment? disk = null) => CoreUnderTest.StartAsync(
        change: options =>
        {
            options.ReplicaId = number;
            change?.Invoke(options);
        },
        log: disk ?? _disk,
        processes: new AppProcesses());

    private static async Task<WriteAheadLog> OpenAsync(LogStoreEnvironment disk) =>
        await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, disk);

    private async Task<ulong> NewestAsync(LogStoreEnvironment? disk = null)
    {
        await using WriteAheadLog log = await OpenAsync(disk ?? _disk);
        return (await log.ListCheckpointsAsync())[0].Value;
    }

    // Executes OnFirstStart, in record 1.
    private static async Task<ScriptedApp> ServeAsync(CoreUnderTest primary)
    {
        ScriptedApp app = await primary.ConnectAppAsync();
        await app.BecomePrimaryAsync(ScriptedApp.Hello with { Features = BindingFeatures.Farewell });
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DoneAsync(1);
        return app;
    }

    private static async Task<ScriptedApp> FollowAsync(CoreUnderTest secondary)
    {
        ScriptedApp app = await PoisonedApp.ComeBackAsync(secondary, ScriptedApp.Hello);
        await app.HearAsync(BindingMessageType.RecordInfo, before: BindingMessageType.BecomingPrimary);
        await app.DoneAsync(1);
        return app;
    }

    private static async Task StopAfterCheckpointAsync(CoreUnderTest primary, ScriptedApp app)
    {
        Task stopping = primary.DisposeAsync().AsTask();
        await app.HearAsync(BindingMessageType.TakeCheckpoint, before: BindingMessageType.Drain);
        await AnswerAsync(app);
        await app.HearAsync(BindingMessageType.Drain);
        await app.DisposeAsync();
        await stopping.OrFail();
    }

    private static Task AskAsync(ScriptedApp app) =>
        app.SayAsync(BindingMessageType.Drain, static output => new ByteWriter(output).WriteString("a test stops it"));

    private static async Task AnswerAsync(ScriptedApp app, int bytes = 0)
    {
        byte[] size = new byte[Varint.MaxSize64];
        await app.SayAsync(BindingMessageType.Checkpoint, output => output.Write(size.AsSpan(0, Varint.WriteZigZag(size, bytes))));
        await app.SayBytesAsync(new byte[bytes]);
    }
}
