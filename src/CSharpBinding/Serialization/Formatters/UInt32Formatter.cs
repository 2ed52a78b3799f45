namespace Ambrosia.Serialization;

/// <summary>32-bit unsigned integers.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct UInt32Formatter : IFormatter<uint>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, uint value) => writer.WriteUInt64(value);

    /// <inheritdoc/>
    public uint Read(ref MessagePackReader reader) => reader.ReadUInt32();
}
