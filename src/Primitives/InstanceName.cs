using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.Primitives;

/// <summary>Rule for the names of instances: they become folder names, blob names and host names.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class InstanceName
{
    /// <summary>Longest name, in characters (a DNS label).</summary>
    public const int MaxLength = 63;

    /// <summary>
    /// Reserved: the caller of all calls that come from no immortal, and so the destination of their answers
    /// (docs/internals/outside-calls.md X30).
    /// </summary>
    public static string Outside { get; } = "outside.ambrosia";

    /// <summary>The same in UTF-8.</summary>
    public static ReadOnlySpan<byte> OutsideBytes => "outside.ambrosia"u8;

    private static readonly SearchValues<byte> s_allowed =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"u8);

    /// <summary>True if the name is 1 to 63 of <c>A-Z a-z 0-9 . _ -</c> and starts with a letter or digit.</summary>
    public static bool IsValid([NotNullWhen(true)] string? name)
    {
        if (string.IsNullOrEmpty(name) || name.Length > MaxLength || !char.IsAsciiLetterOrDigit(name[0]))
        {
            return false;
        }

        foreach (char c in name)
        {
            if (!char.IsAsciiLetterOrDigit(c) && c is not ('.' or '_' or '-'))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Returns the name, or throws with the rule in words.</summary>
    public static string Validate(string name) => IsValid(name) ? name : throw new InstanceNameException(
        $"{StoreErrors.BadInstanceName} instance name '{Printable(name)}' is not allowed | store | nothing was touched | "
        + "use 1 to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit", nameof(name));

    /// <summary>The same rule for a name's UTF-8.</summary>
    public static bool IsValid(ReadOnlySpan<byte> name) =>
        name.Length is > 0 and <= MaxLength && char.IsAsciiLetterOrDigit((char)name[0]) && !name.ContainsAnyExcept(s_allowed);

    private static string Printable(string name) =>
        new([.. name.Take(80).Select(static c => char.IsControl(c) ? '?' : c)]);
}
