using System.Buffers;
using System.Diagnostics;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>Several coordinators of one instance over one store: one acts, the others follow its log.</summary>
public sealed class ReplicaTests
{
    private readonly LogStoreEnvironment _disk = new();

    [Fact] // docs/internals/exactly-once.md#promote
    public async Task A_secondary_gives_its_app_the_log_and_lets_it_act_only_when_the_primary_has_ended()
    {
        CoreUnderTest primary = await StartAsync(0);
        ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using CoreUnderTest secondary = await StartAsync(1);
        await using ScriptedApp second = await secondary.ConnectAppAsync();
        await FollowFirstRecordAsync(second);
        await Within.Until(() => secondary.Status.Snapshot() is { Role: "checkpointer", Replica: 1, Ready: true });
        Task<AppState> asked = secondary.Status.StateAsync(hashOnly: true, CancellationToken.None);
        // Goes behind all that was delivered.
        await second.HearAsync(BindingMessageType.StateRequest, before: BindingMessageType.BecomingPrimary);

        await first.DisposeAsync();
        await primary.DisposeAsync();
        await second.HearAsync(BindingMessageType.BecomingPrimary);
        await second.SayAsync(BindingMessageType.BecomingPrimary, static _ => { });
        await Within.Until(() => secondary.Status.Snapshot() is { Role: "primary", Ready: true, Epoch: 2 });
        Assert.False(asked.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task A_replica_that_starts_before_the_instance_exists_waits_for_its_first_checkpoint()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        Task<CoreUnderTest> starting = StartAsync(1);
        await using ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using CoreUnderTest secondary = await starting.OrFail();
        await using ScriptedApp second = await secondary.ConnectAppAsync();
        await FollowAsync(second);
    }

    [Fact] // It may follow the first records before the primary has written the entry.
    public async Task A_replica_that_follows_before_the_instance_is_in_the_catalog_is_noted_there_later()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        await using ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        UnnamedCatalog? catalog = null;
        await using CoreUnderTest secondary = await StartAsync(
            1, static options => options.Heartbeat = TimeSpan.FromMilliseconds(20), catalog: inner => catalog = new UnnamedCatalog(inner));
        await Within.Until(() => catalog!.Asked > 1);
        Assert.DoesNotContain((await primary.Catalog.GetAsync("bank"))!.Entry.Replicas, static replica => replica.Number == 1);
        catalog!.Name();
        await Within.Until(() =>
            primary.Catalog.GetAsync("bank").AsTask() is { IsCompletedSuccessfully: true, Result.Entry.Replicas: var replicas }
            && replicas.Any(static replica => replica.Number == 1));
    }

    [Fact]
    public async Task A_secondarys_app_that_comes_again_follows_from_the_newest_checkpoint()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        await using ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using CoreUnderTest secondary = await StartAsync(1);
        await using (ScriptedApp second = await secondary.ConnectAppAsync())
        {
            await FollowAsync(second);
        }

        await using ScriptedApp third = await secondary.ConnectAppAsync();
        await FollowAsync(third);
        await third.HearAsync(BindingMessageType.RecordInfo, before: BindingMessageType.BecomingPrimary);
    }

    [Fact]
    public async Task Two_replicas_cannot_have_one_number()
    {
        await using CoreUnderTest one = await StartAsync(1);
        CoordinatorException taken = await Assert.ThrowsAsync<CoordinatorException>(() => StartAsync(1));
        Assert.Equal(("IC-3006", ExitCode.NumberTaken), (taken.Code, taken.ExitCode));
        Assert.Contains($"replica 1 of bank runs already: process {Environment.ProcessId} has its number", taken.Message,
            StringComparison.Ordinal);
    }

    [Fact] // Another process may have the number by then.
    public async Task A_replica_whose_numbers_lease_has_ended_ends()
    {
        await using CoreUnderTest primary = await StartAsync(0);
        await using ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        (LogStoreEnvironment service, Action<string> lose) = ServiceLocks.Over(_disk);
        CoreUnderTest secondary = await StartAsync(1, ServiceLocks.Use, disk: service);
        await using ScriptedApp second = await secondary.ConnectAppAsync();
        await FollowFirstRecordAsync(second);
        Assert.False(secondary.Running.IsCompleted);
        lose(NamedLeases.Replica(1));
        LeaseLostException lost = await Assert.ThrowsAsync<LeaseLostException>(() => secondary.Running.OrFail());
        Assert.Equal("IC-3001", lost.Code);
    }

    [Fact]
    public async Task A_primary_that_stands_still_and_cannot_be_ended_from_here_is_named_once()
    {
        // It beats once.
        await using CoreUnderTest primary = await StartAsync(0, static options => options.Heartbeat = TimeSpan.FromHours(1));
        await using ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using CoreUnderTest secondary = await StartAsync(1, static options =>
        {
            options.Heartbeat = TimeSpan.FromMilliseconds(20);
            options.TakeoverAfter = TimeSpan.FromMilliseconds(100);
        });
        await Within.Until(() => Named(secondary) > 0);
        await using ScriptedApp second = await secondary.ConnectAppAsync();
        await FollowAsync(second);
        Assert.Equal(1, Named(secondary));
        Assert.Equal("primary", primary.Status.Snapshot().Role);
    }

    [Fact]
    public async Task A_checkpointer_takes_the_time_that_it_was_given_for_a_checkpoint_until_it_is_needed_as_primary()
    {
        CoreUnderTest primary = await StartAsync(0);
        ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using CoreUnderTest secondary = await StartAsync(1, static options => options.CheckpointRate = 1 << 20);
        await using ScriptedApp second = await secondary.ConnectAppAsync();
        await FollowFirstRecordAsync(second);
        await Within.Until(() => secondary.Status.Snapshot() is { Role: "checkpointer", Ready: true });
        long begun = Stopwatch.GetTimestamp();
        (Task<ulong> taken, Task said) = await TakeCheckpointAsync(secondary, second, 2);
        await taken.OrFail();
        await said.OrFail();
        Assert.InRange(Stopwatch.GetElapsedTime(begun).TotalSeconds, 2, 60);

        (taken, said) = await TakeCheckpointAsync(secondary, second, 60);
        await first.DisposeAsync();
        await primary.DisposeAsync();
        await said.OrFail();
        await taken.OrFail();
        await second.HearAsync(BindingMessageType.BecomingPrimary);
    }

    [Fact] // The test asks itself: of two that wait, either may get the place first, and only the one that does not ask leaves it.
    public async Task Another_that_waits_leaves_the_place_to_the_one_that_asks_for_it()
    {
        // Its app answers nothing.
        await using CoreUnderTest primary = await StartAsync(0, static options => options.DrainTimeout = TimeSpan.Zero);
        await using ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using CoreUnderTest waiting = await StartAsync(1);
        await using ScriptedApp second = await waiting.ConnectAppAsync();
        await FollowFirstRecordAsync(second);
        await using WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, _disk);
        await using (await log.AcquireNamedLeaseAsync(NamedLeases.Successor, wait: false, default))
        {
            await primary.Running.OrFail();
            await Within.Until(() =>
                waiting.Lines.All.Any(static line => line.Contains("left to the process that asks", StringComparison.Ordinal)));
            Assert.NotEqual("primary", waiting.Status.Snapshot().Role);
            Assert.False(waiting.Running.IsCompleted);
        }

        await second.HearAsync(BindingMessageType.BecomingPrimary);
    }

    [Fact]
    public async Task A_replica_that_is_told_to_stop_while_it_begins_to_listen_for_peers_listens_no_more()
    {
        CoreUnderTest primary = await StartAsync(0);
        ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        var late = new LateListeners(primary.Network.Node("other"));
        CoreUnderTest secondary = await StartAsync(1, peers: late);
        await using ScriptedApp second = await secondary.ConnectAppAsync();
        await FollowFirstRecordAsync(second);
        await first.DisposeAsync();
        await primary.DisposeAsync();
        await late.Begun.OrFail();
        await secondary.DisposeAsync();
        Assert.Equal(0, late.Open);
        Assert.True(secondary.Running.IsCompletedSuccessfully, secondary.Running.Exception?.ToString());
    }

    [Fact]
    public async Task A_replica_that_is_told_to_stop_while_it_makes_the_log_its_own_ends_in_order()
    {
        var disk = new HeldDisk();
        CoreUnderTest primary = await StartAsync(0, disk: disk.Environment);
        ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        CoreUnderTest secondary = await StartAsync(1, disk: disk.Environment);
        await using (ScriptedApp second = await secondary.ConnectAppAsync())
        {
            await FollowFirstRecordAsync(second);
        }

        await first.DisposeAsync();
        disk.HoldHeaders();
        await primary.DisposeAsync();
        await disk.UntilHeldAsync();
        Task ended = secondary.DisposeAsync().AsTask();
        // Its listeners are gone after everything was told to stop; what is told after that, the log among it, waits for nothing.
        await Within.Until(() => secondary.Status.Snapshot().Role == "draining" && !CanAttach(secondary));
        disk.Release();
        await ended.OrFail();
        Assert.True(secondary.Running.IsCompletedSuccessfully, secondary.Running.Exception?.ToString());
    }

    [Fact] // It looks into the newest checkpoint for an upgrade that it does not know of.
    public async Task A_damaged_newest_checkpoint_does_not_end_the_replica_that_takes_the_place()
    {
        CoreUnderTest primary = await StartAsync(0);
        ScriptedApp first = await primary.ConnectAppAsync();
        await first.BecomePrimaryAsync();
        await using CoreUnderTest secondary = await StartAsync(1);
        await using ScriptedApp second = await secondary.ConnectAppAsync();
        await FollowFirstRecordAsync(second);
        await Within.Until(() => secondary.Status.Snapshot() is { Role: "checkpointer", Ready: true });
        (Task<ulong> taken, Task said) = await TakeCheckpointAsync(secondary, second, 0);
        await said.OrFail();
        Assert.Equal(1u, await taken.OrFail());
        var disk = (MemoryFileSystem)_disk.Memory;
        // Behind its header, which opening it looks at.
        disk.FlipBits(disk.AllFiles().Where(static path => path.EndsWith(".ckpt", StringComparison.Ordinal)).Max()!,
            LogStore.Format.CheckpointHeader.Size + 20, 0x10);

        await first.DisposeAsync();
        await primary.DisposeAsync();
        await second.HearAsync(BindingMessageType.BecomingPrimary);
    }

    private static async Task<(Task<ulong> Taken, Task Said)> TakeCheckpointAsync(CoreUnderTest core, ScriptedApp app, int megabytes)
    {
        Task<ulong> taken = core.Status.CheckpointAsync(CancellationToken.None);
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        byte[] size = new byte[Varint.MaxSize64];
        await app.SayAsync(BindingMessageType.Checkpoint, output =>
            output.Write(size.AsSpan(0, Varint.WriteZigZag(size, (long)megabytes << 20))));
        return (taken, app.SayBytesAsync(new byte[megabytes << 20]));
    }

    private static int Named(CoreUnderTest secondary) =>
        secondary.Lines.All.Count(static line => line.Contains("IC-3009", StringComparison.Ordinal));

    private static bool CanAttach(CoreUnderTest core)
    {
        try
        {
            core.ConnectAppAsync().GetAwaiter().GetResult().Abort();
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    private Task<CoreUnderTest> StartAsync(
        int number, Action<CoordinatorOptions>? more = null, ITransport? peers = null, LogStoreEnvironment? disk = null,
        Func<ICatalog, ICatalog>? catalog = null) => CoreUnderTest.StartAsync(
        change: options =>
        {
            options.ReplicaId = number;
            more?.Invoke(options);
        },
        log: disk ?? _disk,
        peers: peers,
        catalog: catalog);

    // The first record is its own call of OnFirstStart; a durable mark of the primary has proven it.
    private static async Task FollowFirstRecordAsync(ScriptedApp app)
    {
        await FollowAsync(app);
        await app.HearAsync(BindingMessageType.RecordInfo, before: BindingMessageType.BecomingPrimary);
        await app.DoneAsync(1);
    }

    private static async Task FollowAsync(ScriptedApp app)
    {
        await app.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        Assert.Equal(BindingMode.Secondary, BindingWelcome.Read(await app.HearAsync(BindingMessageType.Welcome)).Mode);
        await app.HearAsync(BindingMessageType.Checkpoint);
    }
}
