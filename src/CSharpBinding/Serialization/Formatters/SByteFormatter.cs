namespace Ambrosia.Serialization;

/// <summary>8-bit signed integers.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct SByteFormatter : IFormatter<sbyte>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, sbyte value) => writer.WriteInt64(value);

    /// <inheritdoc/>
    public sbyte Read(ref MessagePackReader reader) => reader.ReadSByte();
}
