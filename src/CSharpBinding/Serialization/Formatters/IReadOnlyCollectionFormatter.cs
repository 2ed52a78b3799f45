namespace Ambrosia.Serialization;

/// <summary>Read-only collections; they arrive as an array.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct IReadOnlyCollectionFormatter<T, TFormatter> : IFormatter<IReadOnlyCollection<T>>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, IReadOnlyCollection<T> value)
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
    public IReadOnlyCollection<T> Read(ref MessagePackReader reader)
    {
        return default(ArrayFormatter<T, TFormatter>).Read(ref reader);
    }
}
