namespace Ambrosia.Serialization;

/// <summary>Lists.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ListFormatter<T, TFormatter> : IFormatter<List<T>>
    where TFormatter : struct, IFormatter<T>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, List<T> value)
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
    public List<T> Read(ref MessagePackReader reader)
    {
        reader.Enter();
        int count = reader.ReadArrayHeader();
        List<T> items = new(Math.Min(count, MessagePackLimits.MaxInitialCapacity));
        for (int i = 0; i < count; i++)
        {
            items.Add(default(TFormatter).Read(ref reader));
        }

        reader.Leave();
        return items;
    }
}
