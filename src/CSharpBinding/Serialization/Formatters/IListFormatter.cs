namespace Ambrosia.Serialization;

/// <summary>Lists behind their interface; they arrive as a <see cref="List{T}"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct IListFormatter<T, TFormatter> : IFormatter<IList<T>>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, IList<T> value)
    {
        if (value is null)
        {
            writer.ThrowNull("A list");
        }

        writer.Enter();
        writer.WriteArrayHeader(value.Count);
        foreach (T item in value)
        {
            default(TFormatter).Write(ref writer, item);
        }

        writer.Leave();
    }

    /// <inheritdoc/>
    public IList<T> Read(ref MessagePackReader reader)
    {
        return default(ListFormatter<T, TFormatter>).Read(ref reader);
    }
}
