namespace Ambrosia;

/// <summary>
/// Fixes the number of a method on the wire. Without it the number is made of the method's name and parameter types, so a renamed method
/// needs the attribute, with the old number, to keep answering calls that are already logged or on their way.
/// </summary>
/// <param name="id">The number; 1 to 2147483647. Zero and negative numbers belong to the runtime.</param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class MethodIdAttribute(int id) : Attribute
{
    /// <summary>The number; 1 to 2147483647.</summary>
    public int Id { get; } = id;
}
