namespace Ambrosia.Serialization;

/// <summary>Binary data; read into an array of its own.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ByteMemoryFormatter : IFormatter<Memory<byte>>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, Memory<byte> value) => writer.WriteBinary(value.Span);

    /// <inheritdoc/>
    public Memory<byte> Read(ref MessagePackReader reader) => reader.ReadBinaryCopy();
}
