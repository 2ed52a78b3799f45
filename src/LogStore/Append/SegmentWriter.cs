using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Append;

/// <summary>
/// Puts records at the log's end, one after the other, and begins the next segment where one is full. Knows no concurrency.
/// </summary>
internal sealed class SegmentWriter(ILogStorage storage, ILogLease lease, SegmentIndex index, LogStoreOptions options, TimeProvider time,
    IStoredFile file, SegmentHeader segment) : IAsyncDisposable
{
    /// <summary>Zeros after every record: there the log ends, whatever an older life of the file left further on.</summary>
    public const int EndMarkSize = RecordHeader.Size;

    private const int ZeroStep = 256 * 1024;

    // Under full load zeros would take the device's time from records; growing a file is then cheaper than writing it twice.
    private static readonly TimeSpan SlowlyFilled = TimeSpan.FromSeconds(2);
    private readonly LogClock _clock = new(time, segment.PreviousTimestamp);
    private readonly int _endMark = EndMarkOf(storage);
    private IStoredFile _file = file;
    private SegmentHeader _segment = segment;
    private long _offset = SegmentHeader.Size;
    private uint _chain = segment.PreviousCrc;
    private long _timestamp = segment.PreviousTimestamp;
    private long? _preparedTo; // The file's length, as soon as it was asked for.
    private long _verifiedAt = time.GetTimestamp();
    private long _begunAt = time.GetTimestamp();

    /// <summary>Called when a new segment begins.</summary>
    public Action<SegmentHeader>? SegmentRolled { get; set; }

    /// <summary>
    /// Called when a segment is half full and was filled slowly enough that writing the next one's zeros beforehand pays.
    /// </summary>
    public Action? HalfFull { get; set; }

    /// <summary>LSN of the next record.</summary>
    public Lsn NextLsn { get; private set; } = segment.FirstLsn;

    /// <summary>The epoch of all records.</summary>
    public Epoch Epoch => _segment.Epoch;

    /// <summary>File that is written now, for messages.</summary>
    public string FileName => _file.Name;

    /// <summary>Whether an append keeps the thread that makes it for no longer than a device does.</summary>
    public bool IsNear => storage.IsNear;

    /// <summary>Whether <see cref="PrepareStepAsync"/> has something to do, or has to find out.</summary>
    public bool WantsZeros => PreparesZeros && (_preparedTo is not { } end || FirstZero(end) + ZeroStep <= ZeroTarget);

    private bool PreparesZeros => options.ZeroAhead != 0 && !storage.HasExactEnds;

    private long ZeroTarget => Math.Min(options.SegmentSize, _offset + options.ZeroAhead);

    private bool IsHalfFull => _offset > options.SegmentSize / 2;

    /// <summary>
    /// Begins the record that is written next. Its time never runs backwards, on whichever machine the record before was written, nor does
    /// it stand still.
    /// </summary>
    public RecordDraft Draft() => new(NextLsn, Epoch, _clock.Now());

    /// <summary>
    /// Completes header, padding and end mark around a body that lies at <see cref="RecordHeader.Size"/> of the buffer, writes and syncs.
    /// Whatever fails in here means that the process must end.
    /// </summary>
    public async ValueTask<RecordHeader> AppendAsync(PageBuffer buffer, int bodySize, RecordDraft draft)
    {
        long stored = RecordHeader.StoredSizeOf(bodySize);
        if (!HasRoomFor(stored))
        {
            await RollAsync();
        }

        await VerifyOncePerSecondAsync();
        if (!storage.HasExactEnds)
        {
            // A write to where the file ended before would leave a hole. Where ends are exact, each append asks for the place.
            await RequireConfirmedAsync();
        }

        RecordHeader header = Encode(buffer, bodySize, (int)stored, draft);
        try
        {
            await _file.AppendAsync(buffer.Bytes.AsMemory(0, (int)stored + _endMark), _offset);
        }
        catch (StoreForgotException forgot)
        {
            throw await DescribeAsync(forgot);
        }

        await _file.SyncAsync();
        bool wasHalfFull = IsHalfFull;
        _offset += stored;
        if (IsHalfFull && !wasHalfFull && time.GetElapsedTime(_begunAt) >= SlowlyFilled)
        {
            HalfFull?.Invoke();
        }

        (_chain, _timestamp, NextLsn) = (header.HeaderCrc, header.Timestamp, NextLsn.Next);
        return header;
    }

    /// <summary>
    /// Whether a record of this size, header and padding included, goes into the segment that is written now. The first always does.
    /// </summary>
    public bool HasRoomFor(long stored) =>
        !_file.IsFull && (_offset == SegmentHeader.Size || _offset + stored + _endMark <= options.SegmentSize);

    /// <summary>While nothing else is to be done: one small step of writing zeros ahead. False when there is no need.</summary>
    public async ValueTask<bool> PrepareStepAsync()
    {
        if (!PreparesZeros)
        {
            return false;
        }

        _preparedTo ??= await _file.GetLengthAsync();
        // Only in whole steps, so that a slow trickle of records does not cause a small zero write after each.
        if (!WantsZeros)
        {
            return false;
        }

        long from = FirstZero(_preparedTo.Value);
        await _file.PrepareAsync(from, from + ZeroStep);
        _preparedTo = from + ZeroStep;
        return true;
    }

    public ValueTask DisposeAsync() => _file.DisposeAsync();

    private long FirstZero(long preparedTo) => Math.Max(preparedTo, _offset + EndMarkSize);

    private RecordHeader Encode(PageBuffer buffer, int bodySize, int stored, RecordDraft draft)
    {
        byte[] bytes = buffer.Bytes;
        int bodyEnd = RecordHeader.Size + bodySize;
        bytes.AsSpan(bodyEnd, stored + EndMarkSize - bodyEnd).Clear();
        var header = new RecordHeader(0, buffer.Known.Compute(bytes, RecordHeader.Size, bodyEnd), (uint)bodySize, draft.Kind,
            draft.Flags, draft.Lsn, draft.Epoch, draft.Timestamp,
            draft.Lsn.Previous, _segment.Number, _chain, checked((uint)(_offset / RecordHeader.Alignment)));
        return header with { HeaderCrc = header.Write(bytes) };
    }

    private async ValueTask RollAsync()
    {
        SegmentHeader next = _segment with { Number = _segment.Number + 1, FirstLsn = NextLsn, PreviousCrc = _chain,
            PreviousTimestamp = _timestamp, CreatedAt = time.GetUtcNow().UtcTicks };
        IStoredFile created = await CreateAsync(storage, next);
        await RequireConfirmedAsync();
        // What lies after the last record is preparation only. A sealed segment ends with its last record, so that a missing end is seen.
        await _file.CutAsync(_offset);
        await _file.DisposeAsync();
        (_file, _segment, _offset, _preparedTo, _begunAt) = (created, next, SegmentHeader.Size, null, time.GetTimestamp());
        index.Add(next);
        SegmentRolled?.Invoke(next);
    }

    /// <summary>Makes a segment durable, with the mark that it holds no record yet.</summary>
    public static async ValueTask<IStoredFile> CreateAsync(ILogStorage storage, SegmentHeader header)
    {
        byte[] beginning = new byte[SegmentHeader.Size + EndMarkOf(storage)];
        header.ToBytes().CopyTo(beginning, 0);
        return await storage.CreateSegmentAsync(header.Number, beginning)
            ?? throw new LeaseLostException(LeadershipErrors.Fenced, $"segment {header.Number} was made by another process: fenced",
                storage.Location);
    }

    /// <summary>
    /// What was appended here is here still: nothing else would notice that a file was shortened under its writer, or that a service has
    /// forgotten the end of a segment that is full.
    /// </summary>
    private async ValueTask RequireConfirmedAsync()
    {
        if (await _file.GetLengthAsync() is var length && length < _offset)
        {
            await lease.ProveAfreshAsync(); // The next primary may have released it.
            throw await DescribeAsync(new StoreForgotException(_file.Name, length, _offset));
        }
    }

    /// <summary>The same in records. What is left is read for that.</summary>
    private async ValueTask<LogStoreException> DescribeAsync(StoreForgotException forgot)
    {
        try
        {
            SegmentCursor end = await SegmentCursor.AtEndAsync(_file, _segment);
            return end.NextLsn >= NextLsn ? forgot : new LogCorruptException(
                StoreErrors.StoreForgot, $"the store has forgotten records that it had confirmed: LSN {end.NextLsn} to {NextLsn.Previous}",
                _file.Name,
                    end.Offset,
                end.NextLsn, $"records up to LSN {end.NextLsn.Previous} are there; {StoreForgotException.Safe}",
                StoreForgotException.Advice);
        }
        catch (Exception error) when (error is LogStoreException or FileFailedException)
        {
            return forgot; // It cannot be read either; that it holds too little is known.
        }
    }

    private static int EndMarkOf(ILogStorage storage) => storage.HasExactEnds ? 0 : EndMarkSize;

    private async ValueTask VerifyOncePerSecondAsync()
    {
        if (time.GetElapsedTime(_verifiedAt) >= TimeSpan.FromSeconds(1))
        {
            await _file.VerifyIdentityAsync();
            await lease.VerifyAsync();
            _verifiedAt = time.GetTimestamp();
        }
    }
}
