using System.Runtime.InteropServices;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Debugging;

/// <summary>How many messages each record holds, as far as one has looked: what "1,000 messages back" is counted by.</summary>
internal sealed class MessageCounts(ReplayLog log)
{
    private List<int> _counts = [];
    private ulong _first;

    /// <summary>A record was seen.</summary>
    public void See(LoggedRecord record)
    {
        if (_counts.Count == 0 || record.Lsn > _first + (ulong)_counts.Count)
        {
            (_counts, _first) = ([], record.Lsn); // A jump: what lies between is looked at when somebody asks.
        }

        if (record.Lsn == _first + (ulong)_counts.Count)
        {
            _counts.Add(record.Count);
        }
    }

    /// <summary>The place this many messages before another; null when the log, as it is kept, does not go back that far.</summary>
    public async ValueTask<Position?> BackAsync(Position from, long messages, ulong floor)
    {
        ulong lsn = from.Lsn;
        long index = from.Index == Position.WholeRecord ? await CountAsync(lsn, floor) - 1 : from.Index;
        while (messages > index + 1 || (messages == index + 1 && lsn > floor + 1))
        {
            messages -= index + 1;
            if (--lsn <= floor)
            {
                return messages == 0 ? Position.After(floor) : null;
            }

            index = await CountAsync(lsn, floor) - 1;
        }

        index -= messages;
        return index >= 0 ? new Position(lsn, (int)index) : Position.After(lsn - 1);
    }

    private async ValueTask<int> CountAsync(ulong lsn, ulong floor)
    {
        if (_counts.Count == 0 || lsn < _first || lsn >= _first + (ulong)_counts.Count)
        {
            await LookAsync(floor + 1, lsn);
        }

        return CollectionsMarshal.AsSpan(_counts)[(int)(lsn - _first)];
    }

    // Records are cheapest to read forwards, so everything from the floor on is looked at once.
    private async ValueTask LookAsync(ulong from, ulong through)
    {
        var counts = new List<int>();
        for (ulong lsn = from; lsn <= through; lsn++)
        {
            LoggedRecord record = await log.ReadAsync(lsn) ?? throw new ReplayException($"Record {lsn} of {log.Instance} is not there.");
            counts.Add(record.Count);
        }

        if (_counts.Count > 0 && _first == through + 1)
        {
            counts.AddRange(_counts);
        }

        (_counts, _first) = (counts, from);
    }
}
