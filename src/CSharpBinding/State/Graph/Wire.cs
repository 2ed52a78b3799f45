namespace Ambrosia.Runtime;

/// <summary>How a saved field or item is laid out: a reference, a number, or a value of a saved type.</summary>
internal readonly record struct Wire(int Kind, SavedType? Type)
{
    public bool IsReference => Kind == StateFormat.ReferenceWire;

    public int SmallestSize => Type?.SmallestSize ?? 1;

    public string Description => IsReference ? "a reference" : Type?.Description ?? "a number";
}
