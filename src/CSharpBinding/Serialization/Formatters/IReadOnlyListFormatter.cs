namespace Ambrosia.Serialization;

/// <summary>Read-only lists; they arrive as an array.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct IReadOnlyListFormatter<T, TFormatter> : IFormatter<IReadOnlyList<T>>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, IReadOnlyList<T> value)
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
    public IReadOnlyList<T> Read(ref MessagePackReader reader)
    {
        return default(ArrayFormatter<T, TFormatter>).Read(ref reader);
    }
}
