namespace Ambrosia.Serialization;

/// <summary>32-bit floating-point numbers.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct SingleFormatter : IFormatter<float>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, float value) => writer.WriteSingle(value);

    /// <inheritdoc/>
    public float Read(ref MessagePackReader reader) => reader.ReadSingle();
}
