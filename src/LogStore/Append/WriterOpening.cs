using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Append;

/// <summary>
/// The way from the lease to the first append: make what a dead writer left durable, read it to its end, cut a torn write, open the next
/// epoch in a new segment. The epoch is on the device before anybody hears of it (docs/internals/exactly-once.md H4).
/// </summary>
internal sealed class WriterOpening(ILogStorage storage, SegmentIndex index, LogStoreOptions options, LogServices services)
{
    private const int KeptTailLimit = 16 << 20;
    private readonly RecoveryRules _rules = new(storage, index);
    private long _tornBytes;

    /// <summary>Opens the log for appending and returns the writer of the new segment.</summary>
    public async ValueTask<(SegmentWriter Writer, WriterStart Start)> OpenAsync(ILogLease lease, Lsn newestCheckpoint, ulong newestNamed)
    {
        await storage.RemoveLeftoversAsync();
        await index.RefreshAsync();
        if (_rules.NewestMissing(newestCheckpoint, newestNamed) is { } missing)
        {
            throw missing;
        }

        bool isNew = index.Last is null;
        SegmentHeader header = isNew ? FirstSegment() : await ContinueAsync(index.Last!, newestCheckpoint);
        await lease.VerifyAsync();
        IStoredFile file = await SegmentWriter.CreateAsync(storage, header);
        index.Add(header);
        if (isNew)
        {
            LogStoreLog.LogCreated(services.Logger, header.Instance, header.InstanceId, storage.Place);
        }

        LogStoreLog.EpochOpened(services.Logger, header.Epoch, header.Instance, header.Number, header.FirstLsn.Previous);
        var writer = new SegmentWriter(storage, lease, index, options, services.Time, file, header);
        return (writer, new WriterStart(header.Epoch, header.FirstLsn.Previous, header.InstanceId, isNew, _tornBytes));
    }

    private SegmentHeader FirstSegment()
    {
        Span<byte> random = stackalloc byte[InstanceId.Size];
        services.Entropy.Fill(random);
        return new SegmentHeader
        {
            InstanceId = InstanceId.Read(random),
            Number = 1,
            Epoch = Epoch.None.Next,
            FirstLsn = Lsn.None.Next,
            PreviousTimestamp = 0,
            PreviousCrc = 0,
            CreatedAt = services.Time.GetUtcNow().UtcTicks,
            Instance = storage.Instance,
            Cluster = options.Cluster,
        };
    }

    private async ValueTask<SegmentHeader> ContinueAsync(SegmentHeader last, Lsn newestCheckpoint)
    {
        await using IStoredFile file = await storage.OpenSegmentAsync(last.Number, writable: true)
            ?? throw index.Missing(last.Number, last.FirstLsn);
        // What a killed process wrote may be in memory only. It counts only if it reaches the device: first the sync, then the reading.
        await file.SyncAsync();
        SegmentCursor cursor = await SegmentCursor.AtEndAsync(file, last);
        await CutTailAsync(cursor, newestCheckpoint);
        return last with
        {
            Number = last.Number + 1,
            Epoch = last.Epoch.Next,
            FirstLsn = cursor.NextLsn,
            PreviousTimestamp = cursor.Timestamp,
            PreviousCrc = cursor.Chain,
            CreatedAt = services.Time.GetUtcNow().UtcTicks,
        };
    }

    /// <summary>
    /// Cuts after the last record, unless something says that a record was durable there: then it is damage, and nothing is touched.
    /// </summary>
    private async ValueTask CutTailAsync(SegmentCursor cursor, Lsn newestCheckpoint)
    {
        bool cleanEnd = await cursor.IsAtCleanEndAsync();
        if (await RecoveryRules.LostAtEndAsync(cursor, newestCheckpoint) is { } lost)
        {
            throw lost;
        }

        long length = await cursor.File.GetLengthAsync();
        if (!cleanEnd)
        {
            await KeepTailAsync(cursor, length);
        }

        if (length > cursor.Offset)
        {
            await cursor.File.CutAsync(cursor.Offset);
        }
    }

    private async ValueTask KeepTailAsync(SegmentCursor cursor, long length)
    {
        byte[] tail = new byte[Math.Min(length - cursor.Offset, KeptTailLimit)];
        int read = await cursor.File.ReadAsync(tail, cursor.Offset);
        // Prepared zeros behind the torn write are of no interest.
        int used = tail.AsSpan(0, read).LastIndexOfAnyExcept((byte)0) + 1;
        bool kept = await storage.KeepTailAsync(cursor.Segment.Number, tail.AsMemory(0, used));
        _tornBytes = used;
        LogStoreLog.TornTailCut(services.Logger, used, cursor.NextLsn.Previous, cursor.FileName, kept);
    }
}
