namespace Ambrosia;

/// <summary>
/// Says that a field which saved states of this class have was given up on purpose: its value is dropped when such a state is loaded.
/// Without it an app refuses to load a state with a field that has no place.
/// </summary>
/// <param name="name">Name of the field as it was saved: that of the field or automatic property.</param>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct, AllowMultiple = true, Inherited = false)]
public sealed class RemovedAttribute(string name) : Attribute
{
    /// <summary>Name of the field as it was saved.</summary>
    public string Name { get; } = name;
}
