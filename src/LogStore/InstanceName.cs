namespace Ambrosia.LogStore;

/// <summary>Rule for instance names: they become folder names, so nothing that walks out of the store can pass.</summary>
public static class InstanceName
{
    /// <summary>Longest allowed name in characters (all ASCII).</summary>
    public const int MaxLength = 63;

    /// <summary>One to 63 of letters, digits, dot, underscore and dash, beginning with a letter or digit.</summary>
    public static bool IsValid(string? name) =>
        name is { Length: >= 1 and <= MaxLength } && char.IsAsciiLetterOrDigit(name[0]) && name.All(static c => char.IsAsciiLetterOrDigit(c) || c is '.' or '_' or '-');

    /// <summary>Returns the name, or throws with the rule in words.</summary>
    public static string Validate(string name) => IsValid(name) ? name : throw new ArgumentException(
        $"IC-2041 instance name '{Printable(name)}' is not allowed | store | nothing was touched | use 1 to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit", nameof(name));

    private static string Printable(string name) =>
        new([.. name.Take(80).Select(static c => char.IsControl(c) ? '?' : c)]);
}
