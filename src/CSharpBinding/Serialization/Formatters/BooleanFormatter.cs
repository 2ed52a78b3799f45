namespace Ambrosia.Serialization;

/// <summary>Truth values.</summary>
public readonly struct BooleanFormatter : IFormatter<bool>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, bool value) => writer.WriteBoolean(value);

    /// <inheritdoc/>
    public bool Read(ref MessagePackReader reader) => reader.ReadBoolean();
}
