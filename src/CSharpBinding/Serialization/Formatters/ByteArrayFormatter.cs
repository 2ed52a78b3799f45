namespace Ambrosia.Serialization;

/// <summary>Binary data.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ByteArrayFormatter : IFormatter<byte[]>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, byte[] value)
    {
        if (value is null)
        {
            writer.ThrowNull("A byte array");
        }

        writer.WriteBinary(value);
    }

    /// <inheritdoc/>
    public byte[] Read(ref MessagePackReader reader) => reader.ReadBinaryCopy();
}
