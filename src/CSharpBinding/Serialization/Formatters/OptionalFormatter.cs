namespace Ambrosia.Serialization;

/// <summary>References declared as nullable: a null, or the object.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct OptionalFormatter<T, TFormatter> : IFormatter<T?>
    where T : class
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, T? value)
    {
        if (value is null)
        {
            writer.WriteNil();
        }
        else
        {
            default(TFormatter).Write(ref writer, value);
        }
    }

    /// <inheritdoc/>
    public T? Read(ref MessagePackReader reader) => reader.TryReadNil() ? null : default(TFormatter).Read(ref reader);
}
