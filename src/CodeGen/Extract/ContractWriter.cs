using Microsoft.CodeAnalysis.Diagnostics;

namespace Ambrosia.CodeGen.Extract;

/// <summary>
/// How the contract file comes to be: a generator may write no files, so it hands the text to the build as comments of a source file, and a
/// target of the
/// build writes it beside the project.
/// </summary>
public static class ContractWriter
{
    /// <summary>Name of the source file; the target in Ambrosia.CSharpBinding.targets looks for it.</summary>
    public const string SourceName = "ImmortalContracts.g.cs";

    private const string Property = "build_property.AmbrosiaWriteContract";

    /// <summary>Whether the build writes the contract.</summary>
    public static bool IsOn(AnalyzerConfigOptions options) =>
        options.TryGetValue(Property, out string? value) && string.Equals(value, "true", StringComparison.OrdinalIgnoreCase);

    /// <summary>The contract's text as a source file.</summary>
    public static string ToSource(string contract) =>
        string.Concat(contract.TrimEnd('\n').Split('\n').Select(static line => "// " + line.TrimEnd('\r') + "\n"));
}
