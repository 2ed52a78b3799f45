namespace Ambrosia.Serialization;

/// <summary>Tuples of seven values, as an array.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ValueTuple7Formatter<T1, T2, T3, T4, T5, T6, T7, TF1, TF2, TF3, TF4, TF5, TF6, TF7>
    : IFormatter<ValueTuple<T1, T2, T3, T4, T5, T6, T7>>
    where TF1 : struct, IFormatter<T1>
    where TF2 : struct, IFormatter<T2>
    where TF3 : struct, IFormatter<T3>
    where TF4 : struct, IFormatter<T4>
    where TF5 : struct, IFormatter<T5>
    where TF6 : struct, IFormatter<T6>
    where TF7 : struct, IFormatter<T7>
{
    /// <inheritdoc/>
    public void Write(ref MessagePackWriter writer, ValueTuple<T1, T2, T3, T4, T5, T6, T7> value)
    {
        writer.Enter();
        writer.WriteArrayHeader(7);
        default(TF1).Write(ref writer, value.Item1);
        default(TF2).Write(ref writer, value.Item2);
        default(TF3).Write(ref writer, value.Item3);
        default(TF4).Write(ref writer, value.Item4);
        default(TF5).Write(ref writer, value.Item5);
        default(TF6).Write(ref writer, value.Item6);
        default(TF7).Write(ref writer, value.Item7);
        writer.Leave();
    }

    /// <inheritdoc/>
    public ValueTuple<T1, T2, T3, T4, T5, T6, T7> Read(ref MessagePackReader reader)
    {
        reader.Enter();
        reader.ReadArrayHeader(7);
        ValueTuple<T1, T2, T3, T4, T5, T6, T7> tuple = new(
            default(TF1).Read(ref reader),
            default(TF2).Read(ref reader),
            default(TF3).Read(ref reader),
            default(TF4).Read(ref reader),
            default(TF5).Read(ref reader),
            default(TF6).Read(ref reader),
            default(TF7).Read(ref reader));
        reader.Leave();
        return tuple;
    }
}
