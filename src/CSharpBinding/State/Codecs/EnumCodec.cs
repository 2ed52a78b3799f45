using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>An enum by its number: members may be renamed, but not renumbered.</summary>
internal sealed class EnumCodec<T, TNumber>(Codec<TNumber> number) : ValueCodec<T>
    where T : struct, Enum
    where TNumber : unmanaged
{
    public override int SmallestSize => number.SmallestSize;

    public override void Write(WriteSession session, ref T value) => session.WriteNumber(Unsafe.As<T, TNumber>(ref value));

    public override void Read(ReadSession session, ref T value)
    {
        TNumber read = session.ReadNumber<TNumber>();
        value = Unsafe.As<TNumber, T>(ref read);
    }

    public override void WriteSchema(WriteSession session)
    {
        session.WriteByte((byte)Category.Enum);
        number.WriteWire(session);
    }

    public override string? Match(SavedType saved) => saved.Category == Category.Enum && number.Accepts(saved.Wires[0])
        ? null
        : $"the underlying type of the enum is now {typeof(TNumber).Name}";
}
