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
    public static async Task<string[]> RunAsync(string source, string? contract = null, params (string Key, string Value)[] properties)
    {
        (GeneratorDriverRunResult result, Compilation output) = Generation.Run(source);
        Diagnostic[] compiler = [.. output.GetDiagnostics().Where(d => d.Severity >= DiagnosticSeverity.Warning)];
        AnalyzerOptions options = new(
            contract is null ? [] : [new TextFile("/app/ImmortalContracts.txt", contract)],
            new Properties(properties));
        ImmutableArray<DiagnosticAnalyzer> analyzers =
            [new HandlerAnalyzer(), new AwaitAnalyzer(), new StateAnalyzer(), new ContractFileAnalyzer()];
        ImmutableArray<Diagnostic> found = await output
            .WithAnalyzers(analyzers, new CompilationWithAnalyzersOptions(options, onAnalyzerException: null, concurrentAnalysis: false, logAnalyzerExecutionTime: false))
            .GetAnalyzerDiagnosticsAsync();

        // When the generator refuses an interface, what derives from its base class does not compile; that says nothing new.
        IEnumerable<Diagnostic> all = result.Diagnostics.Concat(found).Concat(result.Diagnostics.IsEmpty ? compiler : []);
        return [.. all.Distinct().OrderBy(static d => d.Location.GetLineSpan().StartLinePosition.Line).ThenBy(static d => d.Id, StringComparer.Ordinal).Select(Text)];
    }

    private static string Text(Diagnostic diagnostic) => string.Create(
        CultureInfo.InvariantCulture,
        $"{diagnostic.Id} {diagnostic.Severity} ({diagnostic.Location.GetLineSpan().StartLinePosition.Line + 1}): {diagnostic.GetMessage(CultureInfo.InvariantCulture)}");

    private sealed class TextFile(string path, string text) : AdditionalText
    {
        public override string Path => path;

        public override Microsoft.CodeAnalysis.Text.SourceText GetText(CancellationToken cancellationToken = default) =>
            Microsoft.CodeAnalysis.Text.SourceText.From(text);
    }

    private sealed class Properties((string Key, string Value)[] properties) : AnalyzerConfigOptionsProvider
    {
        public override AnalyzerConfigOptions GlobalOptions { get; } = new Options(properties);

        public override AnalyzerConfigOptions GetOptions(SyntaxTree tree) => GlobalOptions;

        public override AnalyzerConfigOptions GetOptions(AdditionalText textFile) => GlobalOptions;
    }

    private sealed class Options((string Key, string Value)[] properties) : AnalyzerConfigOptions
    {
        public override bool TryGetValue(string key, out string value)
        {
            value = properties.FirstOrDefault(p => "build_property." + p.Key == key).Value ?? "";
            return value.Length > 0;
        }
    }
}
