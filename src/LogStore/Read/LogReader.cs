using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Read;

/// <summary>Reads records in order, across segments, also while they are being written. Not for use by two threads at once.</summary>
public sealed class LogReader : IAsyncDisposable
{
    private readonly ILogEnds _log;
    private readonly ReadLimit _limit;
    private readonly bool _endsOnly;
    private const int ScoutedAhead = 256;
    private const int LargeNear = 32 * 1024;
    private const int IdleLooks = 8;
    private SegmentCursor? _cursor;
    private SegmentCursor? _scout; // Ahead of the cursor, by what is written and not proven yet.
    private int _idleLooks;
    private Lsn _proven;
    private bool _tailSearched;
    private bool _isReadAheadOld;

    internal LogReader(ILogEnds log, Lsn from, ReadLimit limit, bool endsOnly) =>
        (_log, NextLsn, _limit, _endsOnly) = (log, from, limit, endsOnly);

    /// <summary>The position that the next read looks at.</summary>
    public Lsn NextLsn { get; private set; }

    /// <summary>Header of the record read last.</summary>
    public RecordHeader Header => _cursor!.Header;

    /// <summary>
    /// Body of the record read last; valid until the next read. Only its last bytes, which nobody has checked, when <see cref="IsWhole"/>
    /// is false.
    /// </summary>
    public ReadOnlyMemory<byte> Body => _cursor!.Body;

    /// <summary>
    /// Whether the record read last was read and checked as a whole; always, unless the reader was opened for the ends of bodies only.
    /// </summary>
    public bool IsWhole => _cursor!.IsWhole;

    /// <summary>File that holds the record read last, for messages.</summary>
    public string FileName => _cursor!.FileName;

    /// <summary>Moves to the next record. Damage of durable records throws <see cref="LogCorruptException"/>; it is never an end.</summary>
    public async ValueTask<ReadOutcome> ReadAsync()
    {
        while (true)
        {
            if (_cursor is null && await OpenSegmentAsync() is { } noSegment)
            {
                return noSegment;
            }

            if (!await IsWithinLimitAsync())
            {
                return ReadOutcome.EndOfLog;
            }

            // A segment ends where the next begins, whatever a fenced writer may still have put behind that.
            bool ended = Index.After(_cursor!.Segment) is { } next && _cursor.NextLsn >= next.FirstLsn;
            if (!ended && (await _cursor.TryReadAsync() || await TryReadFreshAsync()))
            {
                NextLsn = _cursor.NextLsn;
                return ReadOutcome.Record;
            }

            if (await JudgeAsync() is { } outcome)
            {
                return outcome;
            }
        }
    }

    /// <summary>
    /// Reads the record read last as a whole, if that has not been done. Damage of a durable record throws, as in <see cref="ReadAsync"/>.
    /// </summary>
    public async ValueTask<ReadOutcome> ReadWholeAsync()
    {
        if (_cursor!.IsWhole || await _cursor.TryReadWholeAsync())
        {
            return ReadOutcome.Record;
        }

        NextLsn = _cursor.NextLsn;
        ReadOutcome outcome = await JudgeAsync() ?? await ReadAsync();
        return outcome == ReadOutcome.Record ? await ReadWholeAsync() : outcome;
    }

    public ValueTask DisposeAsync() => CloseAsync();

    private async ValueTask<bool> TryReadFreshAsync()
    {
        if (!_isReadAheadOld)
        {
            return false;
        }

        _isReadAheadOld = false;
        _cursor!.Refresh();
        return await _cursor.TryReadAsync();
    }

    private SegmentIndex Index => _log.Index;

    // Smaller ones are not dearer to read than to leave out; in a service that is what one request brings.
    private int LargeRecord => _log.Storage.IsNear ? Math.Min(LargeNear, _log.PageSize / 2) : SegmentCursor.BufferSize;

    private async ValueTask<ReadOutcome?> OpenSegmentAsync()
    {
        if (!_log.IsWriter)
        {
            await Index.RefreshAsync();
        }

        if (Index.Find(NextLsn) is not { } segment)
        {
            return Index.Last is null ? ReadOutcome.EndOfLog : ReadOutcome.Trimmed;
        }

        if (await _log.Storage.OpenSegmentAsync(segment.Number, writable: false) is not { } file)
        {
            Index.Remove(segment.Number);
            return ReadOutcome.Trimmed;
        }

        _cursor = new SegmentCursor(file, segment, _endsOnly ? LargeRecord : int.MaxValue);
        return await SkipToPositionAsync();
    }

    /// <summary>Records have no directory: the way to one within a segment leads over those before it.</summary>
    private async ValueTask<ReadOutcome?> SkipToPositionAsync()
    {
        while (_cursor is { } cursor && cursor.NextLsn < NextLsn)
        {
            if (!await cursor.TryReadAsync() && await JudgeAsync() is { } outcome)
            {
                await CloseAsync();
                return outcome;
            }
        }

        return null;
    }

    private async ValueTask<bool> IsWithinLimitAsync()
    {
        if (_limit == ReadLimit.Everything)
        {
            return true;
        }

        if (_log.IsWriter)
        {
            bool durable = NextLsn <= _log.DurableLsn;
            if (!durable)
            {
                _cursor!.Refresh();
            }

            return durable;
        }

        if (_proven < _log.ProvenLsn)
        {
            // Another reader of this view was faster. What this one has read ahead may be older than the proof, but as far as it is valid
            // it is what was proven: a request to the store for each record that follows would keep an app for ever behind a log that
            // grows.
            _proven = _log.ProvenLsn;
            _isReadAheadOld = true;
        }

        if (NextLsn <= _proven)
        {
            return true;
        }

        // A checkpoint has a name only after the record that it follows is durable: behind the last one of a clean stop nothing else would
        // say so.
        return NextLsn <= _log.NewestCheckpoint ? Prove(_log.NewestCheckpoint, _cursor!) : await FindProofAsync();
    }

    /// <summary>
    /// Another process writes: a record counts once a later record or segment says that it is durable (docs/internals/exactly-once.md H7).
    /// </summary>
    private async ValueTask<bool> FindProofAsync()
    {
        SegmentCursor cursor = _cursor!;
        SegmentCursor scout = _scout ??= cursor.Fork();
        // A follower of a live log looks here all the time: mostly nothing has come.
        if (Index.After(cursor.Segment) is null && await scout.IsIdleAsync(_log.Storage.HasExactEnds)
            && !await MayHaveEndedAsync(cursor.Segment))
        {
            return false;
        }

        if (Index.After(cursor.Segment) is null)
        {
            await Index.RefreshAsync();
        }

        if (Index.After(cursor.Segment) is { } next)
        {
            // A segment is made only when everything before it is on the device. When none is left here, reading on finds the next segment.
            return Prove(next.FirstLsn.Previous, cursor);
        }

        scout.Refresh();
        Lsn proven = _proven;
        for (int count = 0; count < ScoutedAhead && await scout.TryReadAsync(); count++)
        {
            proven = Lsn.Max(proven, scout.Header.DurableThrough);
        }

        if (NextLsn <= proven)
        {
            return Prove(proven, cursor);
        }

        await ThrowIfDamagedAsync(scout);
        return false;
    }

    /// <summary>
    /// A file that has ended is cut, and is not idle; one that was deleted can be read as before, or holds nothing: all segments are looked
    /// for now and then only. Where ends are exact, one that has ended looks like one that is being written, and the next is looked for
    /// each time.
    /// </summary>
    private async ValueTask<bool> MayHaveEndedAsync(SegmentHeader segment)
    {
        if (_idleLooks++ % IdleLooks == 0)
        {
            return true;
        }

        if (!_log.Storage.HasExactEnds)
        {
            return false;
        }

        await using IStoredFile? next = await _log.Storage.OpenSegmentAsync(segment.Number + 1, writable: false);
        return next is not null;
    }

    private bool Prove(Lsn through, SegmentCursor cursor)
    {
        _proven = through;
        _log.ProvenLsn = through;
        cursor.Refresh();
        return true;
    }

    /// <summary>
    /// No valid record at the position: the segment's end, the log's end, a torn write, a deleted segment or damage. Null means: read on.
    /// </summary>
    private async ValueTask<ReadOutcome?> JudgeAsync()
    {
        SegmentCursor cursor = _cursor!;
        if (Index.After(cursor.Segment) is null && !_log.IsWriter)
        {
            await Index.RefreshAsync();
        }

        if (Index.After(cursor.Segment) is { } next)
        {
            return await LeaveSegmentAsync(cursor, next);
        }

        cursor.Refresh();
        if (_log.IsWriter && cursor.NextLsn <= _log.DurableLsn)
        {
            // The writer's own word. It wrote after our look at the place, or the place is damaged.
            return await cursor.Fork().TryReadAsync() ? null : throw await DamageAsync(cursor);
        }

        await ThrowIfDamagedAsync(cursor);
        return await cursor.IsAtCleanEndAsync() || _limit == ReadLimit.Durable ? ReadOutcome.EndOfLog : ReadOutcome.TornTail;
    }

    private async ValueTask<ReadOutcome?> LeaveSegmentAsync(SegmentCursor cursor, SegmentHeader next)
    {
        if (cursor.NextLsn == next.FirstLsn)
        {
            if (cursor.Chain != next.PreviousCrc)
            {
                throw new LogCorruptException(StoreErrors.LogCorrupt,
                    $"segment {next.Number} does not continue segment {cursor.Segment.Number}", cursor.FileName, cursor.Offset,
                    next.FirstLsn,
                    $"records below LSN {next.FirstLsn} are intact but of another history", "restore the folder from a copy");
            }

            await CloseAsync();
            return null;
        }

        cursor.Refresh();
        if (await cursor.Fork().TryReadAsync())
        {
            return null;
        }

        // Deleted and used again while we read it: that is no damage.
        if (!(await _log.Storage.ListSegmentsAsync()).Contains(cursor.Segment.Number))
        {
            await CloseAsync();
            return ReadOutcome.Trimmed;
        }

        throw await DamageAsync(cursor);
    }

    private async ValueTask ThrowIfDamagedAsync(SegmentCursor cursor)
    {
        // The whole rest of a segment is searched once. A follower of a live log then sees its clean end after every record, and must not
        // search each time; a promotion searches again.
        if (_tailSearched && await cursor.IsAtCleanEndAsync())
        {
            return;
        }

        _tailSearched = true;
        // The writer may be at work: what we saw half written may be whole by the time that its proof is found. Only what is invalid after
        // the proof is damage.
        if (await TailScan.FindProofAsync(cursor.File, cursor.Segment, cursor.Offset, cursor.NextLsn) is not null)
        {
            cursor.Refresh();
            if (!await cursor.Fork().TryReadAsync() && (await _log.Storage.ListSegmentsAsync()).Contains(cursor.Segment.Number))
            {
                throw await DamageAsync(cursor);
            }
        }
    }

    private static async ValueTask<LogCorruptException> DamageAsync(SegmentCursor cursor) => await LogDamage.DescribeAsync(cursor);

    private async ValueTask CloseAsync()
    {
        if (_cursor is { } cursor)
        {
            (_cursor, _scout) = (null, null);
            await cursor.File.DisposeAsync();
        }
    }
}
