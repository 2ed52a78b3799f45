namespace Ambrosia.TimeTravel.Log;

/// <summary>The records read last, so that a step back does not read the file again.</summary>
internal sealed class RecordCache(int maxBytes)
{
    private readonly Dictionary<ulong, LoggedRecord> _records = [];
    private readonly Queue<LoggedRecord> _order = new();
    private long _bytes;

    public LoggedRecord? Find(ulong lsn) => _records.GetValueOrDefault(lsn);

    public void Add(LoggedRecord record)
    {
        if (!_records.TryAdd(record.Lsn, record))
        {
            return;
        }

        _order.Enqueue(record);
        _bytes += record.PayloadSize;
        while (_bytes > maxBytes && _order.Count > 1)
        {
            LoggedRecord oldest = _order.Dequeue();
            _records.Remove(oldest.Lsn);
            _bytes -= oldest.PayloadSize;
        }
    }
}
