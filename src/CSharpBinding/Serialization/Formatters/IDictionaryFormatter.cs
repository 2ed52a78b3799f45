namespace Ambrosia.Serialization;

/// <summary>Dictionaries behind their interface; they arrive as a <see cref="Dictionary{TKey, TValue}"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct IDictionaryFormatter<TKey, TValue, TKeyFormatter, TValueFormatter> : IFormatter<IDictionary<TKey, TValue>>
    where TKey : notnull
    where TKeyFormatter : struct, IFormatter<TKey>
    where TValueFormatter : struct, IFormatter<TValue>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, IDictionary<TKey, TValue> value)
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
    public IDictionary<TKey, TValue> Read(ref MessagePackReader reader)
    {
        return default(DictionaryFormatter<TKey, TValue, TKeyFormatter, TValueFormatter>).Read(ref reader);
    }
}
