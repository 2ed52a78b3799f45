using Ambrosia.Coordinator.Ingest;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Append;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Application;

/// <summary>G5: an app that is busy for a moment is waited for; one that stands still holds nobody up.</summary>
public sealed class DeliveryPaceTests
{
    private readonly AlarmClock _clock = new();
    private readonly DeliveryCache _cache = new(maxRecords: 7, maxBytes: 1 << 20);
    private readonly DeliveryPace _pace;

    public DeliveryPaceTests() => _pace = new DeliveryPace(_cache, _clock);

    [Fact]
    public async Task Inputs_wait_while_records_wait_for_the_app_and_go_on_when_it_takes_one()
    {
        IReadOnlyList<DurableRecord> records = await KeptRecords.MakeAsync(3);
        _cache.Offer(records[0]);
        _cache.Offer(records[1]);
        Assert.False(_pace.Holds);
        _cache.Offer(records[2]);
        Assert.True(_pace.Holds);
        Task waiting = _pace.WaitAsync().AsTask();
        Assert.False(waiting.IsCompleted);

        Assert.NotNull(_cache.Take(records[0].Header.Lsn));
        await waiting;
        Assert.False(_pace.Holds);
    }

    [Fact]
    public async Task An_app_that_takes_nothing_holds_inputs_once_and_not_again_until_it_moves()
    {
        IReadOnlyList<DurableRecord> records = await KeptRecords.MakeAsync(6);
        foreach (DurableRecord record in records)
        {
            _cache.Offer(record);
        }

        Task waiting = _pace.WaitAsync().AsTask();
        _clock.Ring();
        await waiting;
        Assert.False(_pace.Holds);
        Assert.NotNull(_cache.Take(records[0].Header.Lsn));
        Assert.True(_pace.Holds);
    }

    [Fact]
    public async Task An_app_that_went_lets_those_go_who_waited_for_it()
    {
        foreach (DurableRecord record in await KeptRecords.MakeAsync(4))
        {
            _cache.Offer(record);
        }

        Task waiting = _pace.WaitAsync().AsTask();
        _cache.Clear();
        await waiting;
        Assert.False(_pace.Holds);
    }
}
