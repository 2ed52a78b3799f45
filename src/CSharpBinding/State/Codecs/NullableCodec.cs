namespace Ambrosia.Runtime;

/// <summary>A value or nothing.</summary>
internal sealed class NullableCodec<T>(Codec<T> inner) : ValueCodec<T?>
    where T : struct
{
    public override int SmallestSize => 1;

    public override void Write(WriteSession session, ref T? value)
    {
        session.WriteByte(value.HasValue ? (byte)1 : (byte)0);
        if (value.HasValue)
        {
            T present = value.GetValueOrDefault();
            Codec<T>.Write(session, ref present);
        }
    }

    public override void Read(ReadSession session, ref T? value)
    {
        value = null;
        if (session.ReadFlag())
        {
            T present = default;
            Codec<T>.Read(session, ref present);
            value = present;
        }
    }

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Nullable);
        inner.WriteWire(session);
    }

    public override string? Match(SavedType saved) =>
        saved.Category == Category.Nullable && inner.Accepts(saved.Wires[0]) ? null : "its value has another form";
}
