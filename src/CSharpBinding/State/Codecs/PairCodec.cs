namespace Ambrosia.Runtime;

/// <summary>A value type of .NET that consists of two values and is made from them through its public API.</summary>
internal sealed class PairCodec<T, TFirst, TSecond>(Codec<TFirst> first, Codec<TSecond> second, Func<T, (TFirst, TSecond)> take,
    Func<TFirst, TSecond, T> make) : ValueCodec<T>
{
    public override int SmallestSize => first.SmallestSize + second.SmallestSize;

    public override void Write(WriteSession session, ref T value)
    {
        (TFirst one, TSecond two) = take(value);
        Codec<TFirst>.Write(session, ref one);
        Codec<TSecond>.Write(session, ref two);
    }

    public override void Read(ReadSession session, ref T value)
    {
        TFirst one = default!;
        TSecond two = default!;
        Codec<TFirst>.Read(session, ref one);
        Codec<TSecond>.Read(session, ref two);
        value = make(one, two);
    }

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Struct);
        session.WriteVarint(2);
        session.WriteText("first");
        first.WriteWire(session);
        session.WriteText("second");
        second.WriteWire(session);
    }

    public override string? Match(SavedType saved) =>
        saved.Category == Category.Struct && saved.Fields.Count == 2 && first.Accepts(saved.Fields[0].Wire)
        && second.Accepts(saved.Fields[1].Wire)
            ? null
            : "its values have another form";
}
