using System.Buffers.Binary;
using System.Numerics;
using Ambrosia.Protocol;

namespace Ambrosia.LogStore.Format;

/// <summary>CRC-32C (Castagnoli) with the processor's instruction.</summary>
public static class Crc32C
{
    /// <summary>Checksum of the bytes.</summary>
    public static uint Compute(ReadOnlySpan<byte> source) => ~Append(uint.MaxValue, source);

    /// <summary>Checksum of a first part whose checksum is known, followed by these bytes.</summary>
    public static uint Continue(uint checksum, ReadOnlySpan<byte> source) => ~Append(~checksum, source);

    private static uint Append(uint state, ReadOnlySpan<byte> source)
    {
        if (source.Length >= Crc32CLanes.Worthwhile)
        {
            source = source[Crc32CLanes.Append(ref state, source)..];
        }

        while (source.Length >= 8)
        {
            state = BitOperations.Crc32C(state, BinaryPrimitives.ReadUInt64LittleEndian(source));
            source = source[8..];
        }

        foreach (byte value in source)
        {
            state = BitOperations.Crc32C(state, value);
        }

        return state;
    }
}
