namespace Ambrosia.Serialization;

/// <summary>64-bit signed integers.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct Int64Formatter : IFormatter<long>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, long value) => writer.WriteInt64(value);

    /// <inheritdoc/>
    public long Read(ref MessagePackReader reader) => reader.ReadInt64();
}
