using Ambrosia.LogStore;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// The newest durable records, still in the pages they were written from, for an app that keeps up. An app that lags reads the
/// log again (G5): past the limit new records are let go until the cache has run empty.
/// </summary>
internal sealed class DeliveryCache(int maxRecords, long maxBytes)
{
    private readonly Queue<CachedRecord> _records = new();
    private long _bytes;
    private bool _full;

    /// <summary>Records that wait here.</summary>
    public int Count => _records.Count;

    /// <summary>Called when the app has been given one, or went.</summary>
    public Action? Taken { get; set; }

    /// <summary>Keeps the record or lets it go.</summary>
    public void Offer(CachedRecord record)
    {
        _full = _records.Count > 0 && (_full || _records.Count >= maxRecords || _bytes + record.Record.Body.Length > maxBytes);
        if (_full)
        {
            record.Dispose();
            return;
        }

        _records.Enqueue(record);
        _bytes += record.Record.Body.Length;
    }

    /// <summary>Takes the record with this LSN if it is here; older ones are let go. The caller disposes it.</summary>
    public bool TryTake(Lsn lsn, out CachedRecord record)
    {
        while (_records.TryPeek(out record) && record.Record.Header.Lsn <= lsn)
        {
            _records.Dequeue();
            _bytes -= record.Record.Body.Length;
            if (record.Record.Header.Lsn == lsn)
            {
                Taken?.Invoke();
                return true;
            }

            record.Dispose();
        }

        record = default;
        return false;
    }

    public void Clear()
    {
        while (_records.TryDequeue(out CachedRecord record))
        {
            record.Dispose();
        }

        _bytes = 0;
        _full = false;
        Taken?.Invoke();
    }
}
