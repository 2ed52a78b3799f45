namespace Ambrosia.Serialization;

/// <summary>Sets behind their interface; they arrive as a <see cref="HashSet{T}"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct IReadOnlySetFormatter<T, TFormatter> : IFormatter<IReadOnlySet<T>>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, IReadOnlySet<T> value)
    {
        if (value is null)
        {
            writer.ThrowNull("A set");
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
    public IReadOnlySet<T> Read(ref MessagePackReader reader)
    {
        return default(HashSetFormatter<T, TFormatter>).Read(ref reader);
    }
}
