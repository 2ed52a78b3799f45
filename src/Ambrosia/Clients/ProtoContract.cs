using System.Text.RegularExpressions;

namespace Ambrosia.Cli.Clients;

/// <summary>A typed service of gRPC, as an address for calls from outside publishes it: its text says where it belongs.</summary>
/// <param name="Package">Its package, such as <c>ambrosia.apps.shop</c>.</param>
/// <param name="Service">Its name there.</param>
/// <param name="Methods">The names of its methods.</param>
/// <param name="Missing">What it has no place for, each with its reason.</param>
internal sealed partial record ProtoContract(
    string Package, string Service, IReadOnlyList<string> Methods, IReadOnlyList<string> Missing)
{
    /// <summary>The name of its file: what reflection calls it, so that both may be used together.</summary>
    public string File => $"{Package.Replace('.', '/')}/service.proto";

    /// <summary>Reads a text; null if it is none of an address.</summary>
    public static ProtoContract? Read(string text)
    {
        Match package = PackageLine().Match(text);
        Match service = ServiceLine().Match(text);
        return !text.StartsWith("syntax = \"proto3\";\n", StringComparison.Ordinal) || !package.Success || !service.Success ? null
            : new ProtoContract(
                package.Groups[1].Value, service.Groups[1].Value, [.. MethodLine().Matches(text).Select(static one => one.Groups[1].Value)],
                [.. MissingLine().Matches(text).Select(static one => one.Groups[1].Value)]);
    }

    // It becomes a path: nothing but names may stand in it.
    [GeneratedRegex(@"^package (ambrosia\.apps(?:\.[A-Za-z_][A-Za-z0-9_]*)+);$", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex PackageLine();

    [GeneratedRegex(@"^service ([A-Za-z_][A-Za-z0-9_]*) \{$", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex ServiceLine();

    [GeneratedRegex(@"^  rpc ([A-Za-z_][A-Za-z0-9_]*) ", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex MethodLine();

    [GeneratedRegex("^  // (.* is missing: .*)$", RegexOptions.Multiline | RegexOptions.CultureInvariant)]
    private static partial Regex MissingLine();
}
