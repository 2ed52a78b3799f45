namespace Ambrosia.Serialization;

/// <summary>Tuples of three values, as an array.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ValueTuple3Formatter<T1, T2, T3, TF1, TF2, TF3> : IFormatter<ValueTuple<T1, T2, T3>>
    where TF1 : struct, IFormatter<T1>
    where TF2 : struct, IFormatter<T2>
    where TF3 : struct, IFormatter<T3>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, ValueTuple<T1, T2, T3> value)
    {
        writer.Enter();
        writer.WriteArrayHeader(3);
        default(TF1).Write(ref writer, value.Item1);
        default(TF2).Write(ref writer, value.Item2);
        default(TF3).Write(ref writer, value.Item3);
        writer.Leave();
    }

    /// <inheritdoc/>
    public ValueTuple<T1, T2, T3> Read(ref MessagePackReader reader)
    {
        reader.Enter();
        reader.ReadArrayHeader(3);
        ValueTuple<T1, T2, T3> tuple = new(
            default(TF1).Read(ref reader),
            default(TF2).Read(ref reader),
            default(TF3).Read(ref reader));
        reader.Leave();
        return tuple;
    }
}
