using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

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

    private CoreUnderTest Begin(int? number) => CoreUnderTest.Begin(change: options => options.ReplicaId = number, log: _disk);

    private async Task<WriteAheadLog> OpenAsync() =>
        await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions { Cluster = "default" }, _disk);

    private static bool Says(CoreUnderTest core, string what) =>
        core.Lines.All.Any(line => line.Contains(what, StringComparison.Ordinal));
}
