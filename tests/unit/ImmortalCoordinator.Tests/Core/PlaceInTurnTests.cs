using System.Buffers;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>docs/operate/replicas.md#moving: a place that a process asks for is left to it. The test asks.</summary>
public sealed class PlaceInTurnTests
{
    private readonly LogStoreEnvironment _disk = new();

    [Theory] // A supervisor starts the one that has handed over again, sooner than the one that asks looks whether the place is free.
    [InlineData(null)]
    [InlineData(0)]
    public async Task A_process_that_is_started_leaves_the_place_to_the_one_that_asks_for_it(int? number)
    {
        await using WriteAheadLog log = await OpenAsync();
        ILogLease asking = (await log.AcquireNamedLeaseAsync(NamedLeases.Successor, wait: false, default))!;
        await using CoreUnderTest started = Begin(number);
        await Within.Until(() => Says(started, "left to the process that asks"));
        await using (await log.AcquireAsync(default))
        {
            Assert.False(Says(started, "waits for its app"));
        }

        await asking.DisposeAsync();
        await Within.Until(() => Says(started, "waits for its app"));
    }

    [Fact]
    public async Task A_process_without_a_number_that_waits_leaves_the_place_to_the_one_that_asks_for_it()
    {
        await using WriteAheadLog log = await OpenAsync();
        ILogLease place = (await log.TryAcquireAsync())!;
        await using CoreUnderTest waiting = Begin(null);
        await Within.Until(() => Says(waiting, "IC-3013"));
        ILogLease asking = (await log.AcquireNamedLeaseAsync(NamedLeases.Successor, wait: false, default))!;
        await place.DisposeAsync();
        await Within.Until(() => Says(waiting, "left to the process that asks"));
        Assert.False(Says(waiting, "waits for its app"));

        await asking.DisposeAsync();
        await Within.Until(() => Says(waiting, "waits for its app"));
    }

    [Fact] // Nobody would serve: it was looked for once, and a checkpoint may take minutes.
    public async Task A_primary_stays_when_the_process_that_asked_for_its_place_has_gone_meanwhile()
    {
        await using WriteAheadLog log = await OpenAsync();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(
            log: _disk, change: static options => options.Heartbeat = TimeSpan.FromMilliseconds(20));
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DoneAsync(1);
        await using (await log.AcquireNamedLeaseAsync(NamedLeases.Successor, wait: false, default))
        {
            await app.HearAsync(BindingMessageType.TakeCheckpoint);
        }

        await SaveAsync(app);
        await Within.Until(() => core.Status.Snapshot().Checkpoints.Taken == 2);
        await Task.Delay(300); // Many heartbeats.
        Assert.Equal("primary", core.Status.Snapshot().Role);
        await using ILogLease? asking = await log.AcquireNamedLeaseAsync(NamedLeases.Successor, wait: false, default);
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        await SaveAsync(app);
        await Within.Until(() => core.Status.Snapshot().Role == "draining");
    }

    private static Task SaveAsync(ScriptedApp app) =>
        app.SayAsync(BindingMessageType.Checkpoint, static output => output.Write((ReadOnlySpan<byte>)[0]));

    private CoreUnderTest Begin(int? number) => CoreUnderTest.Begin(change: options => options.ReplicaId = number, log: _disk);

    private async Task<WriteAheadLog> OpenAsync() =>
        await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, _disk);

    private static bool Says(CoreUnderTest core, string what) =>
        core.Lines.All.Any(line => line.Contains(what, StringComparison.Ordinal));
}
