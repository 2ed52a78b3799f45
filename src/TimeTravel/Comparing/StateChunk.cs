using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>A stretch of the log that is sent to both versions before what they made of it is compared.</summary>
internal sealed class StateChunk
{
    private readonly List<(LoggedRecord Record, int First, int Count)> _parts = [];

    /// <summary>Messages of records, in order.</summary>
    public IReadOnlyList<(LoggedRecord Record, int First, int Count)> Parts => _parts;

    /// <summary>Messages in all.</summary>
    public int Count { get; private set; }

    /// <summary>The last message.</summary>
    public Position End => _parts[^1] is var (record, first, count) ? new Position(record.Lsn, first + count - 1) : default;

    /// <summary>The message with this number, from 0.</summary>
    public LoggedMessage this[int number]
    {
        get
        {
            foreach ((LoggedRecord record, int first, int count) in _parts)
            {
                if (number < count)
                {
                    return record[first + number];
                }

                number -= count;
            }

            throw new ArgumentOutOfRangeException(nameof(number));
        }
    }

    /// <summary>The message at a position; null when it is not in here.</summary>
    public LoggedMessage? Find(Position at)
    {
        foreach ((LoggedRecord record, int first, int count) in _parts)
        {
            if (record.Lsn == at.Lsn && at.Index >= first && at.Index < first + count)
            {
                return record[at.Index];
            }
        }

        return null;
    }

    /// <summary>Adds messages of a record.</summary>
    public void Add(LoggedRecord record, int first, int count)
    {
        _parts.Add((record, first, count));
        Count += count;
    }

    /// <summary>Some of its messages as a chunk of their own.</summary>
    public StateChunk Slice(int from, int count)
    {
        var slice = new StateChunk();
        foreach ((LoggedRecord record, int first, int size) in _parts)
        {
            int skipped = Math.Min(from, size);
            int taken = Math.Min(size - skipped, count);
            if (taken > 0)
            {
                slice.Add(record, first + skipped, taken);
            }

            from -= skipped;
            count -= taken;
        }

        return slice;
    }

    /// <summary>This and another one after the other.</summary>
    public void Append(StateChunk next)
    {
        foreach ((LoggedRecord record, int first, int count) in next.Parts)
        {
            Add(record, first, count);
        }
    }
}
