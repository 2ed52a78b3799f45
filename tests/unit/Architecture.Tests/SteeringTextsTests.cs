using Ambrosia.Architecture.Tests.Symbols;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.Architecture.Tests;

/// <summary>States are enums and kinds of failure are types: a text that is compared is a state that no compiler checks.</summary>
public sealed class SteeringTextsTests
{
    [Fact]
    public void No_text_steers_what_happens() => new Debt("steering-texts").RequireOnly(
        SourceProject.All.SelectMany(All), "Make it an enum, or a type. Only what reads texts that others write stands in the list.");

    [Theory]
    [InlineData("class A { bool B(string s) => s == \"x\"; }", 1)]
    [InlineData("class A { const string X = \"x\"; bool B(string s) => X != s; }", 1)]
    [InlineData("class A { bool B(string s) => s is \"x\" or \"y\"; }", 2)]
    [InlineData("class A { int B(string s) => s switch { \"x\" => 1, _ => 2 }; }", 1)]
    [InlineData("class A { int B(string s) { switch (s) { case \"x\": return 1; default: return 2; } } }", 1)]
    [InlineData("class A { bool B(string s, string t) => s == t || s == \"\"; }", 0)]
    [InlineData("class A { bool B(char c) => c == 'x'; }", 0)]
    public void The_rule_sees_what_it_should(string text, int found) =>
        Assert.Equal(found, All(SourceProject.Of(("A.cs", text))).Count());

    private static IEnumerable<(string Line, string At)> All(SourceProject project) => Comparisons(project, project.Files);

    private static IEnumerable<(string Line, string At)> Comparisons(SourceProject project, IEnumerable<SyntaxTree> files) =>
        from file in files
        let model = project.Compilation.GetSemanticModel(file)
        from node in file.GetRoot().DescendantNodes()
        let text = Compared(node).Select(side => model.GetConstantValue(side))
        .FirstOrDefault(static value => value.Value is string { Length: > 0 })
        where text.HasValue
        select (file.FilePath, $"{file.FilePath}:{node.GetLocation().GetLineSpan().StartLinePosition.Line + 1}: {text.Value}");

    private static IEnumerable<ExpressionSyntax> Compared(SyntaxNode node) => node switch
    {
        BinaryExpressionSyntax { RawKind: (int)SyntaxKind.EqualsExpression or (int)SyntaxKind.NotEqualsExpression } binary
            when !IsOtherLiteral(binary.Left) && !IsOtherLiteral(binary.Right) => [binary.Left, binary.Right],
        ConstantPatternSyntax pattern when !IsOtherLiteral(pattern.Expression) => [pattern.Expression],
        CaseSwitchLabelSyntax label when !IsOtherLiteral(label.Value) => [label.Value],
        _ => [],
    };

    // A number, a character, null: nothing is bound to learn that.
    private static bool IsOtherLiteral(ExpressionSyntax side) =>
        side is LiteralExpressionSyntax && !side.IsKind(SyntaxKind.StringLiteralExpression);
}
