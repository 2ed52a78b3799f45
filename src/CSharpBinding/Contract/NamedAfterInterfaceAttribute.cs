namespace Ambrosia;

/// <summary>
/// Classes derived from this one are generated for an interface, and are called as it is with another ending: <c>BankProxy</c> for
/// <c>IBank</c>.
/// </summary>
/// <param name="ending">The ending.</param>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class NamedAfterInterfaceAttribute(string ending) : Attribute
{
    /// <summary>What follows the interface's name.</summary>
    public string Ending => ending;
}
