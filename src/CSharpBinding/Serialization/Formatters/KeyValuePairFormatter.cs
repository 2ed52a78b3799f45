namespace Ambrosia.Serialization;

/// <summary>Pairs of a key and a value, as an array of the two.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct KeyValuePairFormatter<TKey, TValue, TKeyFormatter, TValueFormatter> : IFormatter<KeyValuePair<TKey, TValue>>
    where TKeyFormatter : struct, IFormatter<TKey>
    where TValueFormatter : struct, IFormatter<TValue>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, KeyValuePair<TKey, TValue> value)
    {
        writer.Enter();
        writer.WriteArrayHeader(2);
        default(TKeyFormatter).Write(ref writer, value.Key);
        default(TValueFormatter).Write(ref writer, value.Value);
        writer.Leave();
    }

    /// <inheritdoc/>
    public KeyValuePair<TKey, TValue> Read(ref MessagePackReader reader)
    {
        reader.Enter();
        reader.ReadArrayHeader(2);
        KeyValuePair<TKey, TValue> pair = new(default(TKeyFormatter).Read(ref reader), default(TValueFormatter).Read(ref reader));
        reader.Leave();
        return pair;
    }
}
