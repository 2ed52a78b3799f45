namespace Ambrosia.Serialization;

/// <summary>Tuples of two values, as an array.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ValueTuple2Formatter<T1, T2, TF1, TF2> : IFormatter<ValueTuple<T1, T2>>
    where TF1 : struct, IFormatter<T1>
    where TF2 : struct, IFormatter<T2>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, ValueTuple<T1, T2> value)
    {
        writer.Enter();
        writer.WriteArrayHeader(2);
        default(TF1).Write(ref writer, value.Item1);
        default(TF2).Write(ref writer, value.Item2);
        writer.Leave();
    }

    /// <inheritdoc/>
    public ValueTuple<T1, T2> Read(ref MessagePackReader reader)
    {
        reader.Enter();
        reader.ReadArrayHeader(2);
        ValueTuple<T1, T2> tuple = new(
            default(TF1).Read(ref reader),
            default(TF2).Read(ref reader));
        reader.Leave();
        return tuple;
    }
}
