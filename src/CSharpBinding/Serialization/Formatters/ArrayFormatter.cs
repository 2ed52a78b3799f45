namespace Ambrosia.Serialization;

/// <summary>Arrays of one dimension.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ArrayFormatter<T, TFormatter> : IFormatter<T[]>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, T[] value)
    {
        if (value is null)
        {
            writer.ThrowNull("An array");
        }

        writer.Enter();
        writer.WriteArrayHeader(value.Length);
        foreach (T item in value)
        {
            default(TFormatter).Write(ref writer, item);
        }

        writer.Leave();
    }

    /// <inheritdoc/>
    public T[] Read(ref MessagePackReader reader)
    {
        reader.Enter();
        int count = reader.ReadArrayHeader();
        T[] items = count == 0 ? [] : new T[Math.Min(count, MessagePackLimits.MaxInitialCapacity)];
        for (int i = 0; i < count; i++)
        {
            if (i == items.Length)
            {
                Array.Resize(ref items, Math.Min(count, 2 * items.Length));
            }

            items[i] = default(TFormatter).Read(ref reader);
        }

        reader.Leave();
        return items;
    }
}
