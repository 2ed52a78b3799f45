using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Ambrosia.Architecture.Tests;

/// <summary>One parsed C# file.</summary>
internal sealed record SourceFile(string Path, SyntaxNode Tree)
{
    private static readonly Lazy<IReadOnlyList<SourceFile>> s_sources = new(static () => [.. Repository.Files("src", "*.cs").Select(Read)]);

    /// <summary>Everything below src.</summary>
    public static IReadOnlyList<SourceFile> Sources => s_sources.Value;

    public static SourceFile Read(string path) => Parse(path, Repository.Text(path));

    public static SourceFile Parse(string path, string text) =>
        new(path, CSharpSyntaxTree.ParseText(text, CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.CSharp12)).GetRoot());

    /// <summary>Where a node stands, for a person to click on.</summary>
    public string At(SyntaxNode node) => $"{Path}:{node.GetLocation().GetLineSpan().StartLinePosition.Line + 1}";
}
