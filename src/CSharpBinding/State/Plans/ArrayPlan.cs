using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ambrosia.Runtime;

/// <summary>A zero-based, one-dimensional array.</summary>
internal sealed class ArrayPlan<T>(Codec<T> codec) : ObjectPlan
{
    // The bytes of plain numbers are those in memory, on machines whose order of bytes is the format's.
    private readonly bool _bulk = BitConverter.IsLittleEndian && codec.Value is
        { } value && value.GetType().GetGenericTypeDefinition() == typeof(NumberCodec<>);

    public override Type Type => typeof(T[]);

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Array);
        codec.WriteWire(session);
    }

    public override void WriteHeader(WriteSession session, object value) => ArrayLengths.Write(session, (Array)value, rank: 0);

    public override void WriteBody(WriteSession session, object value)
    {
        Span<T> items = Items(value);
        if (_bulk)
        {
            for (; items.Length > 0; items = items[Math.Min(items.Length, ChunkItems)..])
            {
                session.WriteBytes(Bytes(items));
            }
            return;
        }
        foreach (ref T item in items)
        {
            Codec<T>.Write(session, ref item);
        }
    }

    public override string? Match(SavedType saved) =>
        saved.Category == Category.Array && codec.Accepts(saved.Wires[0]) ? null : "its elements have another form";

    public override object Allocate(ReadSession session, SavedType saved) => new T[ArrayLengths.Read(session, saved, out _, out _)];

    public override void ReadBody(ReadSession session, SavedType saved, object target)
    {
        Span<T> items = Items(target);
        if (_bulk)
        {
            for (; items.Length > 0; items = items[Math.Min(items.Length, ChunkItems)..])
            {
                session.ReadBytes(Bytes(items));
            }
            return;
        }
        foreach (ref T item in items)
        {
            Codec<T>.Read(session, ref item);
        }
    }

    private const int ChunkItems = 1 << 24;

    private static Span<T> Items(object array) => Unsafe.As<T[]>(array);

    private static Span<byte> Bytes(Span<T> items)
    {
        Span<T> chunk = items[..Math.Min(items.Length, ChunkItems)];
        return MemoryMarshal.CreateSpan(ref Unsafe.As<T, byte>(ref MemoryMarshal.GetReference(chunk)), chunk.Length * Unsafe.SizeOf<T>());
    }
}
