namespace Ambrosia.Runtime;

/// <summary>Writes and reads the values of one static type: of a field, an element, an argument.</summary>
internal abstract class Codec
{
    public abstract Type Type { get; }

    /// <summary>Fewest bytes that a value takes; at least 1.</summary>
    public abstract int SmallestSize { get; }

    public abstract void WriteWire(WriteSession session);

    /// <summary>True if values saved in this form can be read into this type.</summary>
    public abstract bool Accepts(Wire wire);

    /// <summary>Why values of a type saved in this layout cannot be read, or null.</summary>
    public abstract string? Match(SavedType saved);

    public abstract void WriteBoxed(WriteSession session, object? value);

    public abstract object? ReadBoxed(ReadSession session);
}
