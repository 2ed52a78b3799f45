namespace Ambrosia.Serialization;

/// <summary>Sorted dictionaries. A key sent twice keeps its last value.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct SortedDictionaryFormatter<TKey, TValue, TKeyFormatter, TValueFormatter> : IFormatter<SortedDictionary<TKey, TValue>>
    where TKey : notnull
    where TKeyFormatter : struct, IFormatter<TKey>
    where TValueFormatter : struct, IFormatter<TValue>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, SortedDictionary<TKey, TValue> value)
    {
        if (value is null)
        {
            writer.ThrowNull("A dictionary");
        }

        writer.Enter();
        writer.WriteMapHeader(value.Count);
        foreach ((TKey key, TValue item) in value)
        {
            default(TKeyFormatter).Write(ref writer, key);
            default(TValueFormatter).Write(ref writer, item);
        }

        writer.Leave();
    }

    /// <inheritdoc/>
    public SortedDictionary<TKey, TValue> Read(ref MessagePackReader reader)
    {
        reader.Enter();
        int count = reader.ReadMapHeader();
        SortedDictionary<TKey, TValue> items = new();
        for (int i = 0; i < count; i++)
        {
            TKey key = default(TKeyFormatter).Read(ref reader);
            items[key] = default(TValueFormatter).Read(ref reader);
        }

        reader.Leave();
        return items;
    }
}
