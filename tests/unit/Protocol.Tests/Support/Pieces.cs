using System.Buffers;

namespace Ambrosia.Protocol.Tests.Support;

/// <summary>The same bytes cut into pieces, as a pipe may present them.</summary>
internal static class Pieces
{
    /// <summary>Cuts at the given offsets; equal offsets give empty pieces.</summary>
    public static ReadOnlySequence<byte> Cut(byte[] bytes, params int[] offsets)
    {
        int[] sorted = [.. offsets.Order()];
        Piece? first = null;
        Piece? last = null;
        int start = 0;
        foreach (int end in sorted.Append(bytes.Length))
        {
            // Pieces lie apart in memory, so that a read over an edge finds something else.
            byte[] apart = [.. bytes[start..end], 0xEE, 0xEE];
            last = last is null ? new Piece(apart.AsMemory(0, end - start)) : last.Append(apart.AsMemory(0, end - start));
            first ??= last;
            start = end;
        }

        return new ReadOnlySequence<byte>(first!, 0, last!, last!.Memory.Length);
    }

    /// <summary>Cuts behind each byte.</summary>
    public static ReadOnlySequence<byte> Bytes(byte[] bytes) => Cut(bytes, [.. Enumerable.Range(0, bytes.Length)]);

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public Piece(ReadOnlyMemory<byte> memory) => Memory = memory;

        public Piece Append(ReadOnlyMemory<byte> memory)
        {
            var next = new Piece(memory) { RunningIndex = RunningIndex + Memory.Length };
            Next = next;
            return next;
        }
    }
}
