namespace Ambrosia.Serialization;

/// <summary>Text that is never null.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct StringFormatter : IFormatter<string>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, string value)
    {
        if (value is null)
        {
            writer.ThrowNull("A string");
        }

        writer.WriteString(value);
    }

    /// <inheritdoc/>
    public string Read(ref MessagePackReader reader) => reader.ReadString();
}
