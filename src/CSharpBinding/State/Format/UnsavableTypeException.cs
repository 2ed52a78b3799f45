namespace Ambrosia.Runtime;

/// <summary>
/// Values of a type cannot be saved; turned into a <see cref="CannotSaveException"/> by the code that knows where the value hangs.
/// </summary>
internal sealed class UnsavableTypeException(Type type, string advice, string? path = null)
    : Exception($"{TypeNames.Display(type)}: {advice}")
{
    public Type Type { get; } = type;

    public string Advice { get; } = advice;

    /// <summary>Where the static type was declared, if it was noticed there.</summary>
    public string? Path { get; } = path;
}
