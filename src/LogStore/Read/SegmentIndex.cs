using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Read;

/// <summary>Which segments there are. Read from any thread; each change is a new array.</summary>
internal sealed class SegmentIndex(ILogStorage storage, LogStoreOptions options)
{
    private readonly object _changing = new();
    private volatile SegmentHeader[] _segments = [];

    /// <summary>Headers in the order of the log.</summary>
    public SegmentHeader[] Segments => _segments;

    /// <summary>The newest segment; null when the log does not exist.</summary>
    public SegmentHeader? Last => _segments is [.., var last] ? last : null;

    /// <summary>Reads the headers of segments that are new in the folder and forgets those that are gone.</summary>
    public async ValueTask RefreshAsync()
    {
        while (!await TryRefreshAsync())
        {
            // The writer deleted a segment while we were reading the headers: what we have seen does not fit together. Deletions end, so
            // this does.
        }
    }

    /// <summary>Adds the segment that this process made, unless a reader of it has found that in the store already.</summary>
    public void Add(SegmentHeader header)
    {
        lock (_changing)
        {
            _segments = [.. _segments.Where(segment => segment.Number != header.Number), header];
        }
    }

    /// <summary>Forgets a segment that this process deleted.</summary>
    public void Remove(ulong number)
    {
        lock (_changing)
        {
            _segments = [.. _segments.Where(segment => segment.Number != number)];
        }
    }

    /// <summary>The segment that holds a record or will hold it; null when it lies before the oldest, or there is none at all.</summary>
    public SegmentHeader? Find(Lsn lsn) => Array.FindLast(_segments, segment => segment.FirstLsn <= lsn);

    /// <summary>The segment behind this one; null when it is the last.</summary>
    public SegmentHeader? After(SegmentHeader segment) => Array.Find(_segments, other => other.Number > segment.Number);

    private async ValueTask<bool> TryRefreshAsync()
    {
        IReadOnlyList<ulong> numbers = await storage.ListSegmentsAsync();
        var known = _segments.ToDictionary(static segment => segment.Number);
        var found = new List<SegmentHeader>(numbers.Count);
        foreach (ulong number in numbers)
        {
            if ((known.GetValueOrDefault(number) ?? await ReadHeaderAsync(number)) is not { } header)
            {
                return false;
            }

            Verify(found.Count > 0 ? found[^1] : null, header);
            found.Add(header);
        }

        lock (_changing)
        {
            // What this process made while the headers were read is newer than the list.
            ulong newest = found.Count > 0 ? found[^1].Number : 0;
            _segments = [.. found, .. _segments.Where(segment => segment.Number > newest)];
        }

        return true;
    }

    /// <summary>Reads one header; null when the segment was deleted, or is used again, meanwhile.</summary>
    private async ValueTask<SegmentHeader?> ReadHeaderAsync(ulong number)
    {
        await using IStoredFile? file = await storage.OpenSegmentAsync(number, writable: false);
        if (file is null)
        {
            return null;
        }

        byte[] block = new byte[SegmentHeader.Size];
        int read = await file.ReadAsync(block, 0);
        SegmentHeader? header = SegmentHeader.TryRead(block.AsSpan(0, read), file.Name);
        if (header is null || header.Number != number)
        {
            return !(await storage.ListSegmentsAsync()).Contains(number) ? null
                : throw new LogCorruptException(StoreErrors.LogCorrupt, $"header of segment {number} is damaged", file.Name, 0, Lsn.None,
                    "records of the segments before it are safe",
                    "restore the file from a copy; its epoch cannot be guessed, because peers may have seen it");
        }

        if (header.Instance != storage.Instance || header.Cluster != options.Cluster)
        {
            throw new LogStoreException(StoreErrors.LogOfAnother,
                $"the log belongs to instance '{header.Instance}' of cluster '{header.Cluster}', not to '{storage.Instance}' of "
                + $"'{options.Cluster}'",
                file.Name, "nothing was changed", "correct the store's path, the instance's name or the cluster's name");
        }

        return header;
    }

    private void Verify(SegmentHeader? before, SegmentHeader segment)
    {
        if (before is null)
        {
            return;
        }

        if (segment.Number != before.Number + 1)
        {
            throw Missing(before.Number + 1, before.FirstLsn);
        }

        if (segment.InstanceId != before.InstanceId)
        {
            throw new LogStoreException(StoreErrors.LogOfAnother,
                $"segment {segment.Number} belongs to another log of the same name (id {segment.InstanceId}, before it "
                + $"{before.InstanceId})",
                storage.Location, "nothing was changed", "remove the files that were copied here from elsewhere");
        }

        if (segment.Epoch < before.Epoch || segment.FirstLsn < before.FirstLsn)
        {
            throw new LogCorruptException(StoreErrors.LogCorrupt, $"segment {segment.Number} contradicts the one before it",
                storage.Location, 0, segment.FirstLsn, $"records below LSN {segment.FirstLsn} are safe", "restore the folder from a copy");
        }
    }

    /// <summary>The error for a segment that must exist and does not.</summary>
    public LogCorruptException Missing(ulong number, Lsn after) =>
        new(StoreErrors.SegmentMissing, $"segment {number} is missing", storage.Location, 0, after,
        "the other segments and all checkpoints are untouched", "put the file back from a copy; do not delete log files by hand");
}
