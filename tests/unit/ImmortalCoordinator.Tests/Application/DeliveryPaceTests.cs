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
        _cache.Offer(new CachedRecord(records[0], new PageMarks()));
        _cache.Offer(new CachedRecord(records[1], new PageMarks()));
        Assert.False(_pace.Holds);
        _cache.Offer(new CachedRecord(records[2], new PageMarks()));
        Assert.True(_pace.Holds);
        Task waiting = _pace.WaitAsync().AsTask();
        Assert.False(waiting.IsCompleted);

        Assert.True(_cache.TryTake(records[0].Header.Lsn, out _));
        await waiting;
        Assert.False(_pace.Holds);
    }

    [Fact]
    public async Task An_app_that_takes_nothing_holds_inputs_once_and_not_again_until_it_moves()
    {
        IReadOnlyList<DurableRecord> records = await KeptRecords.MakeAsync(6);
        foreach (DurableRecord record in records)
        {
            _cache.Offer(new CachedRecord(record, new PageMarks()));
        }

        Task waiting = _pace.WaitAsync().AsTask();
        _clock.Ring();
        await waiting;
        Assert.False(_pace.Holds);
        Assert.True(_cache.TryTake(records[0].Header.Lsn, out _));
        Assert.True(_pace.Holds);
    }

    [Fact]
    public async Task An_app_that_went_lets_those_go_who_waited_for_it()
    {
        foreach (DurableRecord record in await KeptRecords.MakeAsync(4))
        {
            _cache.Offer(new CachedRecord(record, new PageMarks()));
        }

        Task waiting = _pace.WaitAsync().AsTask();
        _cache.Clear();
        await waiting;
        Assert.False(_pace.Holds);
    }

    [Fact]
    public async Task Marks_are_used_again_once_nobody_has_their_record_any_more()
    {
        IReadOnlyList<DurableRecord> records = await KeptRecords.MakeAsync(9);
        List<ulong> returned = [];
        foreach (DurableRecord record in records)
        {
            ulong lsn = record.Header.Lsn.Value;
            var marks = new PageMarks(_ => returned.Add(lsn)) { LargestMessage = (long)lsn };
            _cache.Offer(new CachedRecord(record, marks));
        }

        ulong first = records[0].Header.Lsn.Value;
        Assert.Equal([first + 7, first + 8], returned); // It holds seven.
        Assert.True(_cache.TryTake(new Lsn(first + 1), out CachedRecord taken));
        Assert.Equal([first + 7, first + 8, first], returned);
        Assert.Equal((long)first + 1, taken.Marks.LargestMessage);
        taken.Dispose();
        Assert.Equal(0, taken.Marks.LargestMessage);
        _cache.Clear();
        Assert.Equal(Enumerable.Range(0, 9).Select(n => first + (ulong)n), returned.Order());
    }
}
