namespace Ambrosia.Serialization;

/// <summary>Collections behind their interface; they arrive as a <see cref="List{T}"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ICollectionFormatter<T, TFormatter> : IFormatter<ICollection<T>>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, ICollection<T> value)
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
    public ICollection<T> Read(ref MessagePackReader reader)
    {
        return default(ListFormatter<T, TFormatter>).Read(ref reader);
    }
}
