using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>Values whose bytes are a little-endian number of the same width.</summary>
internal sealed class NumberCodec<T> : ValueCodec<T>
    where T : unmanaged
{
    public override int SmallestSize => Unsafe.SizeOf<T>();

    public override void Write(WriteSession session, ref T value) => session.WriteNumber(value);

    public override void Read(ReadSession session, ref T value) => value = session.ReadNumber<T>();

    public override void WriteSchema(WriteSession session)
    {
    }

    public override string? Match(SavedType saved) => null;
}
