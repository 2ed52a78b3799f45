using System.Buffers.Binary;

namespace Ambrosia.Serialization;

/// <summary>128-bit signed integers, as 16 bytes of binary data, most significant first.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct Int128Formatter : IFormatter<Int128>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, Int128 value)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt128BigEndian(bytes, value);
        writer.WriteBinary(bytes);
    }

    /// <inheritdoc/>
    public Int128 Read(ref MessagePackReader reader)
    {
        ReadOnlySpan<byte> bytes = reader.ReadBinary();
        if (bytes.Length != 16)
        {
            reader.ThrowOutOfRange("Int128");
        }

        return BinaryPrimitives.ReadInt128BigEndian(bytes);
    }
}
