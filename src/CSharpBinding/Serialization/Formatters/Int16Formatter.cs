namespace Ambrosia.Serialization;

/// <summary>16-bit signed integers.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct Int16Formatter : IFormatter<short>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, short value) => writer.WriteInt64(value);

    /// <inheritdoc/>
    public short Read(ref MessagePackReader reader) => reader.ReadInt16();
}
