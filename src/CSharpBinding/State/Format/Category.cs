namespace Ambrosia.Runtime;

/// <summary>
/// How values or objects of a type are laid out. Written once per type, before its first instance, so that every state can be read (and
/// skipped) without the types it came from.
/// </summary>
internal enum Category : byte
{
    /// <summary>A class. Number of fields, then name and wire of each. Objects: the fields, later.</summary>
    Fields = 1,

    /// <summary>As <see cref="Fields"/>, preceded by what every exception has.</summary>
    Exception = 2,

    /// <summary>
    /// A value type. As <see cref="Fields"/>; a value without fields takes one byte. An object of a value type is a boxed value: the
    /// value, later.
    /// </summary>
    Struct = 3,

    /// <summary>Rank, wire. At the reference: the lengths; later: the elements.</summary>
    Array = 4,

    /// <summary>
    /// Comparer flag, number of leading varints, number of wires, wires. At the reference: the comparer; later: the varints, count, items.
    /// </summary>
    Sequence = 5,

    /// <summary>As <see cref="Sequence"/>, but all of it at the reference: the object cannot be made before its content.</summary>
    Inline = 6,

    /// <summary>A text at the reference.</summary>
    Text = 7,

    /// <summary>A type at the reference.</summary>
    TypeObject = 8,

    /// <summary>
    /// At the reference: the number of targets, and for each the target (reference), the declaring type, the method and its fingerprint.
    /// </summary>
    Delegate = 9,

    /// <summary>Wire of the underlying number.</summary>
    Enum = 10,

    /// <summary>Wire. One byte 0, or 1 and the value.</summary>
    Nullable = 11,
}
