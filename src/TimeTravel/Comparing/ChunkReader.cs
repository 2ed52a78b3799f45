using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>Cuts the log into chunks.</summary>
internal sealed class ChunkReader(ReplayLog log, ulong after, Position? to)
{
    private const int LargestBytes = 4 * 1024 * 1024;
    private ulong _next = after + 1;
    private LoggedRecord? _record;
    private int _first;

    /// <summary>Told of each record when it is read, those without messages included.</summary>
    public Action<LoggedRecord>? Seen { get; set; }

    /// <summary>
    /// The next messages, at most this many; null at the end. A chunk never reaches beyond a checkpoint of the log, so that states can be
    /// compared there.
    /// </summary>
    public async ValueTask<StateChunk?> ReadAsync(int most, ulong notBeyond)
    {
        var chunk = new StateChunk();
        int bytes = 0;
        while (chunk.Count < most && bytes < LargestBytes)
        {
            if (_record is null && !await ReadRecordAsync(notBeyond))
            {
                break;
            }

            LoggedRecord record = _record!;
            int last = to is { } end && record.Lsn == end.Lsn ? (int)Math.Min(record.Count - 1L, end.Index) : record.Count - 1;
            int count = Math.Min(last - _first + 1, most - chunk.Count);
            if (count > 0)
            {
                chunk.Add(record, _first, count);
                bytes += record.PayloadSize;
                _first += count;
            }

            if (_first > last)
            {
                _record = null;
            }
        }

        return chunk.Count > 0 ? chunk : null;
    }

    private async ValueTask<bool> ReadRecordAsync(ulong notBeyond)
    {
        if (_next > notBeyond || (to is { } end && _next > end.Lsn) || await log.ReadAsync(_next) is not { } record)
        {
            return false;
        }

        Seen?.Invoke(record);
        (_record, _first) = (record, 0);
        _next++;
        return true;
    }
}
