namespace Ambrosia.Serialization;

/// <summary>Sets. A value sent twice counts once.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct HashSetFormatter<T, TFormatter> : IFormatter<HashSet<T>>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, HashSet<T> value)
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
    public HashSet<T> Read(ref MessagePackReader reader)
    {
        reader.Enter();
        int count = reader.ReadArrayHeader();
        HashSet<T> items = new(Math.Min(count, MessagePackLimits.MaxInitialCapacity));
        for (int i = 0; i < count; i++)
        {
            items.Add(default(TFormatter).Read(ref reader));
        }

        reader.Leave();
        return items;
    }
}
