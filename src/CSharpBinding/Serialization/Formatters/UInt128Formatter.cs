using System.Buffers.Binary;

namespace Ambrosia.Serialization;

/// <summary>128-bit unsigned integers, as 16 bytes of binary data, most significant first.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct UInt128Formatter : IFormatter<UInt128>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, UInt128 value)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteUInt128BigEndian(bytes, value);
        writer.WriteBinary(bytes);
    }

    /// <inheritdoc/>
    public UInt128 Read(ref MessagePackReader reader)
    {
        ReadOnlySpan<byte> bytes = reader.ReadBinary();
        if (bytes.Length != 16)
        {
            reader.ThrowOutOfRange("UInt128");
        }

        return BinaryPrimitives.ReadUInt128BigEndian(bytes);
    }
}
