using System.Buffers;

namespace Ambrosia.Primitives;

/// <summary>
/// CRC-32C (Castagnoli, reflected, initial value and final xor 0xFFFFFFFF) over spans, by the CPU's own instruction where it has one.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Crc32C
{
    /// <summary>State before the first byte.</summary>
    public const uint Seed = 0xFFFFFFFF;

    /// <summary>Checksum of one span.</summary>
    public static uint Compute(ReadOnlySpan<byte> source) => Finish(Append(Seed, source));

    /// <summary>Checksum of a sequence.</summary>
    public static uint Compute(in ReadOnlySequence<byte> source)
    {
        uint state = Seed;
        foreach (ReadOnlyMemory<byte> segment in source)
        {
            state = Append(state, segment.Span);
        }

        return Finish(state);
    }

    /// <summary>Checksum of a first part whose checksum is known, followed by these bytes.</summary>
    public static uint Continue(uint checksum, ReadOnlySpan<byte> source) => Finish(Append(Finish(checksum), source));

    /// <summary>Checksum of a first part followed by <paramref name="length"/> bytes, from the checksum of each.</summary>
    public static uint Join(uint checksum, uint next, int length) => Crc32CZeros.Behind(checksum, length) ^ next;

    /// <summary>Folds further bytes into a state.</summary>
    public static uint Append(uint state, ReadOnlySpan<byte> source) => Crc32CLanes.Append(state, source);

    /// <summary>Checksum of a span's end from that of all of it and that of its beginning.</summary>
    /// <param name="whole">Checksum of all of it.</param>
    /// <param name="front">Checksum of what stands before the end.</param>
    /// <param name="restLength">Bytes of the end.</param>
    public static uint Rest(uint whole, uint front, int restLength) => Crc32CZeros.Behind(front, restLength) ^ whole;

    /// <summary>The checksum of the bytes folded into the state.</summary>
    public static uint Finish(uint state) => ~state;
}
