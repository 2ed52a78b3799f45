namespace Ambrosia.Serialization;

/// <summary>Truth values.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct BooleanFormatter : IFormatter<bool>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, bool value) => writer.WriteBoolean(value);

    /// <inheritdoc/>
    public bool Read(ref MessagePackReader reader) => reader.ReadBoolean();
}
