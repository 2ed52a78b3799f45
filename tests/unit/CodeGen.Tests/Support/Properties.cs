using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ambrosia.CodeGen.Tests.Support;

/// <summary>Properties of the project, as the build hands them to analyzers.</summary>
internal sealed class Properties(params (string Key, string Value)[] properties) : AnalyzerConfigOptionsProvider
{
    public override AnalyzerConfigOptions GlobalOptions { get; } = new Options(properties);

    public override AnalyzerConfigOptions GetOptions(SyntaxTree tree) => GlobalOptions;

    public override AnalyzerConfigOptions GetOptions(AdditionalText textFile) => GlobalOptions;

    private sealed class Options((string Key, string Value)[] properties) : AnalyzerConfigOptions
    {
        public override bool TryGetValue(string key, out string value)
        {
            value = properties.FirstOrDefault(p => "build_property." + p.Key == key).Value ?? "";
            return value.Length > 0;
        }
    }
}
