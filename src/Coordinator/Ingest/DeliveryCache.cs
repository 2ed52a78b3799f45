using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// The newest durable records, still in the pages they were written from, for an app that keeps up. An app that lags reads the
/// log again (G5): past the limit new records are let go until the cache has run empty.
/// </summary>
internal sealed class DeliveryCache(int maxRecords, long maxBytes)
{
    private readonly Queue<DurableRecord> _records = new();
    private long _bytes;
    private bool _full;

    /// <summary>Records that wait here.</summary>
    public int Count => _records.Count;

    /// <summary>Called when the app has been given one, or went.</summary>
    public Action? Taken { get; set; }

    /// <summary>Keeps the record or lets it go.</summary>
    public void Offer(DurableRecord record)
    {
        _full = _records.Count > 0 && (_full || _records.Count >= maxRecords || _bytes + record.Body.Length > maxBytes);
        if (_full)
        {
            record.Dispose();
            return;
        }

        _records.Enqueue(record);
        _bytes += record.Body.Length;
    }

    /// <summary>Takes the record with this LSN if it is here; older ones are let go.</summary>
    public DurableRecord? Take(Lsn lsn)
    {
        while (_records.TryPeek(out DurableRecord? record) && record.Header.Lsn <= lsn)
        {
            _records.Dequeue();
            _bytes -= record.Body.Length;
            if (record.Header.Lsn == lsn)
            {
                Taken?.Invoke();
                return record;
            }

            record.Dispose();
        }

        return null;
    }

    public void Clear()
    {
        while (_records.TryDequeue(out DurableRecord? record))
        {
            record.Dispose();
        }

        _bytes = 0;
        _full = false;
        Taken?.Invoke();
    }
}
