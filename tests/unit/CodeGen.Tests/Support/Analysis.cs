using System.Collections.Immutable;
using System.Globalization;
using Ambrosia.CodeGen.Analyzers;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ambrosia.CodeGen.Tests.Support;

/// <summary>Runs generator, compiler and analyzers over source text, as a build would.</summary>
internal static class Analysis
{
    /// <summary>Everything that is said, in the order of the source: <c>AMB101 Error (7): text</c>.</summary>
    public static Task<string[]> RunAsync(string source, string? contract = null, params (string Key, string Value)[] properties) =>
        RunAsync([source], contract, properties);

    /// <summary>The same for several files.</summary>
    public static async Task<string[]> RunAsync(string[] sources, string? contract = null,
        params (string Key, string Value)[] properties) =>
        [.. (await FindAsync(sources, contract, properties)).Select(Text)];

    /// <summary>Where the analyzers find something: <c>File1.cs(7): AMB101</c>.</summary>
    public static async Task<string[]> PlacesAsync(string source, string contract) =>
        [.. (await FindAsync([source], contract, [])).Select(static d => string.Create(
        CultureInfo.InvariantCulture,
        $"{Path.GetFileName(d.Location.GetLineSpan().Path)}({d.Location.GetLineSpan().StartLinePosition.Line + 1}): {d.Id}"))];

    /// <summary>The same for several files, without the compiler's own warnings.</summary>
    public static async Task<string[]> RulesAsync(string[] sources) =>
        [.. (await RunAsync(sources))
            .Where(static l => l.StartsWith("AMB", StringComparison.Ordinal) || l.Contains(" Error ", StringComparison.Ordinal))];

    private static async Task<IEnumerable<Diagnostic>> FindAsync(string[] sources, string? contract,
        (string Key, string Value)[] properties)
    {
        (GeneratorDriverRunResult result, Compilation output) = Generation.Run(sources);
        Diagnostic[] compiler = [.. output.GetDiagnostics().Where(d => d.Severity >= DiagnosticSeverity.Warning)];
        AnalyzerOptions options = new(
            contract is null ? [] : [new TextFile("/app/ImmortalContracts.txt", contract)],
            new Properties(properties));
        ImmutableArray<DiagnosticAnalyzer> analyzers =
            [new HandlerAnalyzer(), new AwaitAnalyzer(), new StateAnalyzer(), new ContractFileAnalyzer()];
        ImmutableArray<Diagnostic> found = await output
            .WithAnalyzers(analyzers, new CompilationWithAnalyzersOptions(options, onAnalyzerException: null, concurrentAnalysis: false,
                logAnalyzerExecutionTime: false))
            .GetAnalyzerDiagnosticsAsync();

        // When the generator refuses an interface, what derives from its base class does not compile; that says nothing new.
        IEnumerable<Diagnostic> all = result.Diagnostics.Concat(found).Concat(result.Diagnostics.IsEmpty ? compiler : []);
        return all.Distinct().OrderBy(static d => d.Location.GetLineSpan().StartLinePosition.Line)
            .ThenBy(static d => d.Id, StringComparer.Ordinal);
    }

    private static string Text(Diagnostic diagnostic) => string.Create(
        CultureInfo.InvariantCulture,
        $"{diagnostic.Id} {diagnostic.Severity} ({diagnostic.Location.GetLineSpan().StartLinePosition.Line + 1}): "
        + $"{diagnostic.GetMessage(CultureInfo.InvariantCulture)}");
}
