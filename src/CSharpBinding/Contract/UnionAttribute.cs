namespace Ambrosia;

/// <summary>
/// Lists one type that may stand where the marked base class or interface is declared in a parameter or result. The list is closed: only
/// the tag travels, never a type name, and an unknown tag is an error. Tags stay with their type for ever.
/// </summary>
/// <param name="tag">The number that stands for the type on the wire; unique within the base type.</param>
/// <param name="type">A type derived from the marked one.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Interface, AllowMultiple = true, Inherited = false)]
public sealed class UnionAttribute(int tag, Type type) : Attribute
{
    /// <summary>The number that stands for the type on the wire.</summary>
    public int Tag { get; } = tag;

    /// <summary>The type that the tag stands for.</summary>
    public Type Type { get; } = type;
}
