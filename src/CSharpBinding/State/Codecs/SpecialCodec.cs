namespace Ambrosia.Runtime;

/// <summary>A primitive of the format that is not a plain number.</summary>
internal sealed class SpecialCodec<T>(int smallestSize, Action<WriteSession, T> write, Func<ReadSession, T> read) : ValueCodec<T>
{
    public override int SmallestSize => smallestSize;

    public override void Write(WriteSession session, ref T value) => write(session, value);

    public override void Read(ReadSession session, ref T value) => value = read(session);

    public override void WriteSchema(WriteSession session)
    {
    }

    public override string? Match(SavedType saved) => null;
}
