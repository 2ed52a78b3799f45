namespace Ambrosia.Serialization;

/// <summary>Binary data; read into an array of its own.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ByteReadOnlyMemoryFormatter : IFormatter<ReadOnlyMemory<byte>>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, ReadOnlyMemory<byte> value) => writer.WriteBinary(value.Span);

    /// <inheritdoc/>
    public ReadOnlyMemory<byte> Read(ref MessagePackReader reader) => reader.ReadBinaryCopy();
}
