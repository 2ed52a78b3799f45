namespace Ambrosia.Serialization;

/// <summary>Characters, as their UTF-16 code unit.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct CharFormatter : IFormatter<char>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, char value) => writer.WriteUInt64(value);

    /// <inheritdoc/>
    public char Read(ref MessagePackReader reader) => (char)reader.ReadUInt16();
}
