namespace Ambrosia.Serialization;

/// <summary>Version numbers, as text.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct VersionFormatter : IFormatter<Version>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, Version value)
    {
        if (value is null)
        {
            writer.ThrowNull("A Version");
        }

        writer.WriteString(value.ToString());
    }

    /// <inheritdoc/>
    public Version Read(ref MessagePackReader reader)
    {
        if (!Version.TryParse(reader.ReadString(), out Version? value))
        {
            reader.ThrowOutOfRange("Version");
        }

        return value;
    }
}
