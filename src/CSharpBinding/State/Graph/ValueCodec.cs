namespace Ambrosia.Runtime;

/// <summary>Writes and reads values of a value type in place.</summary>
internal abstract class ValueCodec<T> : IValueSchema
{
    public abstract int SmallestSize { get; }

    public abstract void Write(WriteSession session, ref T value);

    public abstract void Read(ReadSession session, ref T value);

    public abstract void WriteSchema(WriteSession session);

    public abstract string? Match(SavedType saved);
}
