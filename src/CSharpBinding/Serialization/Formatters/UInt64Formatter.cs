namespace Ambrosia.Serialization;

/// <summary>64-bit unsigned integers.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct UInt64Formatter : IFormatter<ulong>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, ulong value) => writer.WriteUInt64(value);

    /// <inheritdoc/>
    public ulong Read(ref MessagePackReader reader) => reader.ReadUInt64();
}
