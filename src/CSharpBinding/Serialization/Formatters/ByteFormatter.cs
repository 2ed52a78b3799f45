namespace Ambrosia.Serialization;

/// <summary>8-bit unsigned integers.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ByteFormatter : IFormatter<byte>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, byte value) => writer.WriteUInt64(value);

    /// <inheritdoc/>
    public byte Read(ref MessagePackReader reader) => reader.ReadByte();
}
