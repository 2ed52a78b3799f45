using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Opens the body of a Batch frame: varint number of its first message · varint replayable number before which it starts plus one ·
/// varint messages · varint replayable messages; then the messages in delivery form. The receiver asserts that the first two follow
/// what it has accepted (docs/internals/exactly-once.md H12), so a gap or a repeat can never be logged.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct BatchHeader(ulong FirstTotal, ulong FirstReplayable, int Count, int ReplayableCount)
{
    /// <summary>Writes the four numbers and returns the bytes used.</summary>
    public int Write(Span<byte> destination)
    {
        int size = Varint.Write(destination, FirstTotal);
        size += Varint.Write(destination[size..], FirstReplayable);
        size += Varint.Write(destination[size..], (ulong)Count);
        return size + Varint.Write(destination[size..], (ulong)ReplayableCount);
    }

    /// <summary>Reads the four numbers; <paramref name="messages"/> is what follows them.</summary>
    /// <exception cref="ProtocolException">Counts that contradict each other or the bytes.</exception>
    public static BatchHeader Read(in ReadOnlySequence<byte> body, out ReadOnlySequence<byte> messages)
    {
        Span<byte> prefix = stackalloc byte[FrameLimits.BatchPrefix];
        int available = (int)Math.Min(body.Length, prefix.Length);
        body.Slice(0, available).CopyTo(prefix);
        var reader = new ByteReader(prefix[..available]);
        ulong firstTotal = reader.ReadVarint("batch first total");
        ulong firstReplayable = reader.ReadVarint("batch first replayable");
        long left = body.Length;
        // A message takes at least two bytes, so the count cannot exceed half of what is there.
        int count = reader.ReadLength((int)Math.Min(int.MaxValue, left / 2), "batch count");
        int replayable = reader.ReadLength(count, "batch replayable count");
        messages = body.Slice(reader.Offset);
        return new BatchHeader(firstTotal, firstReplayable, count, replayable);
    }
}
