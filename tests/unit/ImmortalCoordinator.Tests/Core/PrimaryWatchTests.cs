using Ambrosia.Coordinator.Availability;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>When a secondary takes its primary for one that does not move any more.</summary>
public sealed class PrimaryWatchTests
{
    private static readonly TimeSpan s_rhythm = TimeSpan.FromSeconds(1);
    private readonly LogStoreEnvironment _disk = new();
    private readonly SteppedTime _time = new();

    [Fact]
    public async Task A_primary_that_beats_is_left_alone_and_one_that_stops_beating_is_named_after_the_time_given()
    {
        (ILogLease lease, PrimaryWatch watch) = await StartAsync(patience: TimeSpan.FromSeconds(3));
        for (int beat = 0; beat < 10; beat++)
        {
            await lease.BeatAsync();
            Assert.Null(await LookAsync(watch, s_rhythm));
        }

        Assert.Null(await LookAsync(watch, s_rhythm));
        Assert.Null(await LookAsync(watch, s_rhythm));
        Assert.Equal(lease.Holder, await LookAsync(watch, s_rhythm));
    }

    [Fact]
    public async Task Time_in_which_this_process_did_not_look_itself_is_not_held_against_the_primary()
    {
        (ILogLease lease, PrimaryWatch watch) = await StartAsync(patience: TimeSpan.FromSeconds(3));
        await lease.BeatAsync();
        Assert.Null(await LookAsync(watch, s_rhythm));
        Assert.Null(await LookAsync(watch, TimeSpan.FromHours(8))); // The machine slept.
        await lease.BeatAsync();
        Assert.Null(await LookAsync(watch, s_rhythm));
    }

    [Fact]
    public async Task A_primary_that_never_beats_is_not_taken_to_have_stopped()
    {
        (_, PrimaryWatch watch) = await StartAsync(patience: TimeSpan.FromSeconds(3));
        for (int look = 0; look < 10; look++)
        {
            Assert.Null(await LookAsync(watch, s_rhythm));
        }
    }

    [Fact]
    public async Task Nobody_is_named_when_it_is_turned_off()
    {
        (ILogLease lease, PrimaryWatch watch) = await StartAsync(patience: TimeSpan.Zero);
        await lease.BeatAsync();
        for (int look = 0; look < 10; look++)
        {
            Assert.Null(await LookAsync(watch, s_rhythm));
        }
    }

    private async Task<(ILogLease Lease, PrimaryWatch Watch)> StartAsync(TimeSpan patience)
    {
        WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions(), _disk);
        return (await log.AcquireAsync(CancellationToken.None), new PrimaryWatch(log, patience, s_rhythm, _time));
    }

    private async Task<string?> LookAsync(PrimaryWatch watch, TimeSpan after)
    {
        _time.Pass(after);
        return await watch.LookAsync();
    }
}
