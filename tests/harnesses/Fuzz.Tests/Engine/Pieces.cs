using System.Buffers;

namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>The same bytes as a sequence of several pieces, as a socket delivers them.</summary>
internal sealed class Pieces : ReadOnlySequenceSegment<byte>
{
    private Pieces(ReadOnlyMemory<byte> memory, long index) => (Memory, RunningIndex) = (memory, index);

    public static ReadOnlySequence<byte> Of(ReadOnlyMemory<byte> bytes, FuzzRandom random)
    {
        if (bytes.Length < 2)
        {
            return new ReadOnlySequence<byte>(bytes);
        }

        int size = Math.Min(bytes.Length, 1 + random.Next(random.OneIn(2) ? 4 : bytes.Length));
        var first = new Pieces(bytes[..size], 0);
        Pieces last = first;
        for (int at = size; at < bytes.Length;)
        {
            int next = Math.Min(bytes.Length - at, 1 + random.Next(random.OneIn(2) ? 8 : bytes.Length));
            var piece = new Pieces(bytes.Slice(at, next), at);
            last.Next = piece;
            last = piece;
            at += next;
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }
}
