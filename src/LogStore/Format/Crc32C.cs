using Ambrosia.Protocol;

namespace Ambrosia.LogStore.Format;

/// <summary>CRC-32C (Castagnoli) with the processor's instruction.</summary>
public static class Crc32C
{
    /// <summary>Checksum of the bytes.</summary>
    public static uint Compute(ReadOnlySpan<byte> source) => ~Crc32CLanes.Append(uint.MaxValue, source);

    /// <summary>Checksum of a first part whose checksum is known, followed by these bytes.</summary>
    public static uint Continue(uint checksum, ReadOnlySpan<byte> source) => ~Crc32CLanes.Append(~checksum, source);
}
