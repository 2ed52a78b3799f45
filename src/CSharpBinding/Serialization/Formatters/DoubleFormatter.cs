namespace Ambrosia.Serialization;

/// <summary>64-bit floating-point numbers.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct DoubleFormatter : IFormatter<double>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, double value) => writer.WriteDouble(value);

    /// <inheritdoc/>
    public double Read(ref MessagePackReader reader) => reader.ReadDouble();
}
