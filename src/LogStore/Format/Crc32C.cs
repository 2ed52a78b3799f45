using Ambrosia.Protocol;

namespace Ambrosia.LogStore.Format;

/// <summary>CRC-32C (Castagnoli) with the processor's instruction.</summary>
public static class Crc32C
{
    /// <summary>Checksum of the bytes.</summary>
    public static uint Compute(ReadOnlySpan<byte> source) => ~Crc32CLanes.Append(uint.MaxValue, source);

    /// <summary>Checksum of a first part whose checksum is known, followed by these bytes.</summary>
    public static uint Continue(uint checksum, ReadOnlySpan<byte> source) => ~Crc32CLanes.Append(~checksum, source);

    /// <summary>Checksum of a first part followed by <paramref name="length"/> bytes, from the checksum of each.</summary>
    public static uint Join(uint checksum, uint next, int length) => Crc32CZeros.Behind(checksum, length) ^ next;
}
