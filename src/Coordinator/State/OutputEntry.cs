namespace Ambrosia.Coordinator.State;

/// <summary>
/// A run of messages to one destination, all replayable or all impulses, that lies contiguously in one chunk. Numbers are kept
/// per run, never per message. Messages dropped from the front are only counted; their bytes are skipped when the run is read.
/// </summary>
internal sealed class OutputEntry(Chunk chunk, int offset, bool impulses, ulong number, ulong total)
{
    public Chunk Chunk { get; } = chunk;

    public int Offset { get; } = offset;

    public int Length { get; private set; }

    public bool Impulses { get; } = impulses;

    /// <summary>Replayable: number of its first message. Impulses: number of the last replayable message before it.</summary>
    public ulong Number { get; private set; } = number;

    /// <summary>Number of its first message with impulses counted; meaningless until the buffer was rebased.</summary>
    public ulong Total { get; set; } = total;

    public int Count { get; private set; }

    /// <summary>Messages at the front of the bytes that are no longer wanted.</summary>
    public int Skipped { get; private set; }

    /// <summary>A sender has taken it: later messages start a new entry, so that no send begins inside one.</summary>
    public bool Closed { get; set; }

    public ulong LastNumber => Impulses ? Number : Number + (ulong)Count - 1;

    public ulong LastTotal => Total + (ulong)Count - 1;

    public int ReplayableCount => Impulses ? 0 : Count;

    public void Grow(int length, int count)
    {
        Length += length;
        Count += count;
    }

    public void DropFront(int count)
    {
        Skipped += count;
        Count -= count;
        Total += (ulong)count;
        if (!Impulses)
        {
            Number += (ulong)count;
        }
    }
}
