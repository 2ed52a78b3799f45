namespace Ambrosia.Serialization;

/// <summary>Values that may be absent: a null, or the value.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct NullableFormatter<T, TFormatter> : IFormatter<T?>
    where T : struct
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, T? value)
    {
        if (value is { } present)
        {
            default(TFormatter).Write(ref writer, present);
        }
        else
        {
            writer.WriteNil();
        }
    }

    /// <inheritdoc/>
    public T? Read(ref MessagePackReader reader) => reader.TryReadNil() ? null : default(TFormatter).Read(ref reader);
}
