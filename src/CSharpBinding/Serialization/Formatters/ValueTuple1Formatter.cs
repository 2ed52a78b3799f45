namespace Ambrosia.Serialization;

/// <summary>Tuples of one value, as an array.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ValueTuple1Formatter<T1, TF1> : IFormatter<ValueTuple<T1>>
    where TF1 : struct, IFormatter<T1>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, ValueTuple<T1> value)
    {
        writer.Enter();
        writer.WriteArrayHeader(1);
        default(TF1).Write(ref writer, value.Item1);
        writer.Leave();
    }

    /// <inheritdoc/>
    public ValueTuple<T1> Read(ref MessagePackReader reader)
    {
        reader.Enter();
        reader.ReadArrayHeader(1);
        ValueTuple<T1> tuple = new(
            default(TF1).Read(ref reader));
        reader.Leave();
        return tuple;
    }
}
