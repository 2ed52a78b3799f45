using Ambrosia.Primitives;

namespace Ambrosia.CoordinatorHost.Options;

/// <summary>
/// Finds variables that are almost those of options. Others that begin alike may be another program's, or the app's, whose environment a
/// coordinator inherits.
/// </summary>
internal static class MisspeltVariable
{
    private const string Prefix = "AMBROSIA_";

    // Read beside the options' own.
    private static readonly string[] s_others = ["CONFIG", "HOME", "STORE_SECRET_FILE", "MANAGED_FALLBACKS"];

    private static readonly StringComparer s_rules = OperatingSystem.IsWindows() ? StringComparer.OrdinalIgnoreCase
        : StringComparer.Ordinal;

    private static readonly HashSet<string> s_known =
        new(OptionDefinitions.All.Select(static option => option.Variable).Concat(s_others.Select(static name => Prefix + name)), s_rules);

    // By the option's name, too: that of the socket is shorter as a variable.
    private static readonly (string Written, string Variable)[] s_meant =
    [
        .. OptionDefinitions.All.Select(static option => (option.Variable[Prefix.Length..], option.Variable)),
        .. OptionDefinitions.All.Select(static option => (option.Name.Replace('-', '_').ToUpperInvariant(), option.Variable)),
        .. s_others.Select(static name => (name, Prefix + name)),
    ];

    /// <summary>One mistake for each variable that has a value and is almost one that is read.</summary>
    /// <param name="names">The names of all variables.</param>
    /// <param name="environment">Value of a variable, or null.</param>
    public static IEnumerable<OptionError> Among(IEnumerable<string> names, Func<string, string?> environment) => names
        .Where(name => name.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase) && !s_known.Contains(name) && environment(name) is
            { Length: > 0 })
        .Order(StringComparer.Ordinal)
        .Select(name => (Name: name, Meant: Meant(name[Prefix.Length..].ToUpperInvariant())))
        .Where(static each => each.Meant is not null)
        .Select(static each => new OptionError(ProcessErrors.UnknownOption, $"'{each.Name}' is not an option", "environment",
            $"did you mean {each.Meant}? --help lists all"));

    private static string? Meant(string written) => s_meant
        .Select(each => (each.Variable, Distance: EditDistance.IfMisspelt(written, each.Written)))
        .Where(static each => each.Distance is not null)
        .OrderBy(static each => each.Distance)
        .FirstOrDefault().Variable;
}
