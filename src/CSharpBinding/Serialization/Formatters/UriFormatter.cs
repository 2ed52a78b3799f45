namespace Ambrosia.Serialization;

/// <summary>Addresses, as the text they were made of.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct UriFormatter : IFormatter<Uri>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, Uri value)
    {
        if (value is null)
        {
            writer.ThrowNull("A Uri");
        }

        writer.WriteString(value.OriginalString);
    }

    /// <inheritdoc/>
    public Uri Read(ref MessagePackReader reader)
    {
        if (!Uri.TryCreate(reader.ReadString(), UriKind.RelativeOrAbsolute, out Uri? value))
        {
            reader.ThrowOutOfRange("Uri");
        }

        return value;
    }
}
