namespace Ambrosia.Serialization;

/// <summary>16-bit unsigned integers.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct UInt16Formatter : IFormatter<ushort>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, ushort value) => writer.WriteUInt64(value);

    /// <inheritdoc/>
    public ushort Read(ref MessagePackReader reader) => reader.ReadUInt16();
}
