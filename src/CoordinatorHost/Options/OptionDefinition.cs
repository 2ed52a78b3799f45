namespace Ambrosia.CoordinatorHost.Options;

/// <summary>One option as a user sees it, and how its text becomes a value.</summary>
/// <param name="Name">Name on the command line, without dashes in front.</param>
/// <param name="Value">What stands for the value in the help; null for a switch.</param>
/// <param name="Group">Heading it stands under.</param>
/// <param name="Help">What it says, with its unit.</param>
/// <param name="Show">The value as text; empty when unset.</param>
/// <param name="Apply">Sets the value; returns null, or what would have been right.</param>
internal sealed record OptionDefinition(
    string Name, string? Value, string Group, string Help, Func<CoordinatorOptions, string> Show,
    Func<CoordinatorOptions, string, string?> Apply)
{
    /// <summary>The environment variable that gives it. The socket's is shared with the binding.</summary>
    public string Variable => Name == "binding-socket" ? "AMBROSIA_SOCKET" : "AMBROSIA_" + Name.Replace('-', '_').ToUpperInvariant();

    /// <summary>True when it needs no value on the command line.</summary>
    public bool IsSwitch => Value is null;
}
