namespace Ambrosia.Serialization;

/// <summary>16-bit floating-point numbers; 32 bits on the wire.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct HalfFormatter : IFormatter<Half>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, Half value) => writer.WriteSingle((float)value);

    /// <inheritdoc/>
    public Half Read(ref MessagePackReader reader) => (Half)reader.ReadSingle();
}
