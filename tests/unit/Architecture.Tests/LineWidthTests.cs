using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Ambrosia.Architecture.Tests;

/// <summary>Two files stand beside each other on a screen, and a review beside them: no line of code over 140 columns.</summary>
public sealed class LineWidthTests
{
    private const int MostColumns = 140;
    private static readonly string[] s_folders = ["src", "tests", "samples", "bench"];

    [Fact]
    public void A_line_of_code_has_at_most_140_columns()
    {
        string[] files = [.. s_folders.SelectMany(static folder => Repository.Files(folder, "*.cs"))];
        Assert.NotEmpty(files);
        string[] wide = [.. files.SelectMany(static path => Wide(path, Repository.Text(path)))];
        Assert.True(wide.Length == 0, $"{wide.Length} lines are wider than {MostColumns} columns:\n{string.Join("\n", wide)}");
    }

    [Theory]
    [InlineData("//", "", 138, 0)]
    [InlineData("//", "", 139, 1)]
    [InlineData("class A { const string B = \"", "\"; }", 140, 1)]
    [InlineData("class A { const string B = \"\"\"", "\"\"\"; }", 140, 0)]
    [InlineData("class A { const string B = @\"", "\"; }", 140, 0)]
    [InlineData("class A { const string B = \"\"\"\n", "\n\"\"\"; }", 141, 0)]
    public void The_rule_counts_columns_of_all_but_what_a_literal_shows_as_it_is(string before, string after, int columns, int found) =>
        Assert.Equal(found, Wide("src/A.cs", $"{before}{new string('x', columns)}{after}\r\n").Count());

    private static IEnumerable<string> Wide(string path, string text)
    {
        SourceText source = SourceText.From(text);
        TextLine[] wide = [.. source.Lines.Where(static line => line.Span.Length > MostColumns)];
        if (wide.Length == 0)
        {
            return [];
        }

        TextSpan[] shown = [.. CSharpSyntaxTree.ParseText(source).GetRoot().DescendantNodes()
            .Where(static node => node is LiteralExpressionSyntax or InterpolatedStringExpressionSyntax && IsShownAsItIs(node))
            .Select(static node => node.Span)];
        return wide.Where(line => !shown.Any(span => span.IntersectsWith(line.Span)))
            .Select(line => $"{path}:{line.LineNumber + 1}: {line.Span.Length}");
    }

    // Another line break would be another text.
    private static bool IsShownAsItIs(SyntaxNode literal)
    {
        string text = literal.ToString().TrimStart('$');
        return text.StartsWith('@') || text.StartsWith("\"\"\"", StringComparison.Ordinal);
    }
}
