namespace Ambrosia.Runtime;

/// <summary>Describes the layout of a value type in the type table.</summary>
internal interface IValueSchema
{
    /// <summary>Writes category and wires; nothing for a <see cref="Primitive"/>.</summary>
    void WriteSchema(WriteSession session);

    /// <summary>
    /// Why values saved in this layout cannot be read, or null. May note in the saved type how its fields map to the present ones.
    /// </summary>
    string? Match(SavedType saved);
}
