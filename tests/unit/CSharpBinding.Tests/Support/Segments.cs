using System.Buffers;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>Sequences of small segments.</summary>
internal static class Segments
{
    public static ReadOnlySequence<byte> Of(ReadOnlyMemory<byte> bytes, int size)
    {
        if (bytes.Length <= size)
        {
            return new ReadOnlySequence<byte>(bytes);
        }

        var first = new Segment(bytes[..size], 0);
        Segment last = first;
        for (int i = size; i < bytes.Length; i += size)
        {
            last = last.Append(bytes[i..Math.Min(i + size, bytes.Length)]);
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public Segment(ReadOnlyMemory<byte> memory, long index) => (Memory, RunningIndex) = (memory, index);

        public Segment Append(ReadOnlyMemory<byte> memory)
        {
            var next = new Segment(memory, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }
}
