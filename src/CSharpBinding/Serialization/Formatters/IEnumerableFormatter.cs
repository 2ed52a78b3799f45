namespace Ambrosia.Serialization;

/// <summary>Sequences, enumerated once when written; they arrive as an array.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct IEnumerableFormatter<T, TFormatter> : IFormatter<IEnumerable<T>>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, IEnumerable<T> value)
    {
        if (value is null)
        {
            writer.ThrowNull("A sequence");
        }

        // The count comes first on the wire; sequences that do not know theirs are gathered before.
        if (value.TryGetNonEnumeratedCount(out int count))
        {
            writer.Enter();
            writer.WriteArrayHeader(count);
            foreach (T item in value)
            {
                default(TFormatter).Write(ref writer, item);
            }

            writer.Leave();
            return;
        }

        default(ArrayFormatter<T, TFormatter>).Write(ref writer, value.ToArray());
    }

    /// <inheritdoc/>
    public IEnumerable<T> Read(ref MessagePackReader reader)
    {
        return default(ArrayFormatter<T, TFormatter>).Read(ref reader);
    }
}
