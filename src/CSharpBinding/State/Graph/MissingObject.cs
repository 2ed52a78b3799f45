namespace Ambrosia.Runtime;

/// <summary>Stands for an object whose type this build does not have. Harmless where nothing needs it; otherwise a refusal.</summary>
internal sealed class MissingObject(SavedType type, long items)
{
    public SavedType Type { get; } = type;

    /// <summary>Elements of an array, which stand in its body.</summary>
    public long Items { get; } = items;
}
