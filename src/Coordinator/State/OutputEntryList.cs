using System.Diagnostics;

namespace Ambrosia.Coordinator.State;

/// <summary>The entries of one output buffer, oldest first. Removal happens at the front, growth at the end.</summary>
internal sealed class OutputEntryList
{
    private readonly List<OutputEntry?> _entries = []; // None in front of the first that is left.
    private int _head;

    public int Count => _entries.Count - _head;

    public OutputEntry? Last => Count == 0 ? null : _entries[^1];

    public OutputEntry this[int index] => _entries[_head + index] ?? throw new UnreachableException("An entry that was removed is read.");

    public void Add(OutputEntry entry) => _entries.Add(entry);

    public void Clear()
    {
        while (Count > 0)
        {
            RemoveFirst();
        }
    }

    /// <summary>Removes so many entries.</summary>
    public void RemoveFirst(int count)
    {
        for (; count > 0; count--)
        {
            RemoveFirst();
        }
    }

    /// <summary>Index of the entry that holds this total; <see cref="Count"/> if none does.</summary>
    public int IndexOfTotal(ulong total)
    {
        int low = 0;
        int high = Count;
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (this[middle].LastTotal < total)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low;
    }

    public void RemoveThroughTotal(ulong total)
    {
        while (Count > 0 && this[0].LastTotal <= total)
        {
            RemoveFirst();
        }

        if (Count > 0 && this[0].Total <= total)
        {
            this[0].DropFront((int)(total - this[0].Total + 1));
        }
    }

    /// <summary>
    /// Removes replayable messages up to this number and keeps impulses (a trim in another epoch's numbering, exactly-once.md H14).
    /// </summary>
    public void RemoveReplayable(ulong number)
    {
        int kept = 0;
        for (int i = 0; i < Count; i++)
        {
            OutputEntry entry = this[i];
            if (!entry.Impulses && entry.LastNumber <= number)
            {
                entry.Chunk.Release();
                continue;
            }

            if (!entry.Impulses && entry.Number <= number)
            {
                entry.DropFront((int)(number - entry.Number + 1));
            }

            _entries[_head + kept++] = entry;
        }

        _entries.RemoveRange(_head + kept, Count - kept);
    }

    /// <summary>
    /// Removes everything up to the last replayable message numbered at most <paramref name="number"/>, impulses before it included.
    /// </summary>
    public void RemoveThroughReplayable(ulong number)
    {
        int last = -1;
        for (int i = 0; i < Count; i++)
        {
            if (!this[i].Impulses && this[i].Number <= number)
            {
                last = i;
            }
        }

        for (int i = 0; i < last; i++)
        {
            RemoveFirst();
        }

        if (last >= 0)
        {
            OutputEntry entry = this[0];
            if (entry.LastNumber <= number)
            {
                RemoveFirst();
            }
            else
            {
                entry.DropFront((int)(number - entry.Number + 1));
            }
        }
    }

    /// <summary>Numbers all messages from <paramref name="total"/> on and returns the total of the next one.</summary>
    public ulong Renumber(ulong total)
    {
        for (int i = 0; i < Count; i++)
        {
            this[i].Total = total;
            total += (ulong)this[i].Count;
        }

        return total;
    }

    private void RemoveFirst()
    {
        this[0].Chunk.Release();
        _entries[_head++] = null;
        // Amortised: the list is compacted when half of it is history.
        if (_head > 256 && _head * 2 > _entries.Count)
        {
            _entries.RemoveRange(0, _head);
            _head = 0;
        }
    }

    /// <summary>Replayable messages up to a number, referenced and closed against further growth; the caller releases the chunks.</summary>
    /// <param name="number">The number.</param>
    /// <param name="destination">Whom they are for.</param>
    public List<OutputSlice> SnapshotThrough(ulong number, string destination)
    {
        var snapshot = new List<OutputSlice>();
        for (int i = 0; i < Count; i++)
        {
            OutputEntry entry = this[i];
            if (entry.Number <= number && !entry.Impulses)
            {
                entry.Closed = true;
                entry.Chunk.AddReference();
                int count = (int)Math.Min((ulong)entry.Count, number - entry.Number + 1);
                snapshot.Add(new OutputSlice(destination, entry, entry.Skipped, entry.Number, count, Whole: count == entry.Count));
            }
        }

        return snapshot;
    }
}
