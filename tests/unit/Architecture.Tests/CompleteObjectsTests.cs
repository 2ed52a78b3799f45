using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.Architecture.Tests;

/// <summary>A complete object comes out of a constructor: nothing claims to be there and is filled in later.</summary>
public sealed class CompleteObjectsTests
{
    [Fact]
    public void No_member_is_filled_in_later_while_its_type_says_that_it_is_there()
    {
        string[] found = [.. SourceFile.Sources.SelectMany(Claims)];
        Assert.True(found.Length == 0,
            $"Set it in the constructor, or make it nullable with a checked accessor:\n{string.Join("\n", found)}");
    }

    [Theory]
    [InlineData("class A { private string _name = null!; }", 1)]
    [InlineData("class A { public string Name { get; set; } = default!; }", 1)]
    [InlineData("class A<T> { private T _value = (default(T))!; }", 1)]
    [InlineData("class A { string[] _all = [\"\"]; void Free() { _all[0] = null!; } }", 1)]
    [InlineData("class A<T> { T Read() { T value = default!; return value; } }", 0)]
    [InlineData("class A { private string? _name; string Name => _name ?? throw new System.Exception(); }", 0)]
    public void The_rule_sees_what_it_should(string text, int claims) =>
        Assert.Equal(claims, Claims(SourceFile.Parse("src/A.cs", text)).Count());

    private static IEnumerable<string> Claims(SourceFile file) => file.Tree.DescendantNodes()
        .OfType<PostfixUnaryExpressionSyntax>()
        .Where(static node => node.IsKind(SyntaxKind.SuppressNullableWarningExpression))
        .Where(static node => Operand(node).IsKind(SyntaxKind.NullLiteralExpression) || (IsDefault(Operand(node)) && IsOfMember(node)))
        .Select(node => $"{file.At(node)}: {node.Parent}");

    private static ExpressionSyntax Operand(PostfixUnaryExpressionSyntax node)
    {
        ExpressionSyntax operand = node.Operand;
        while (operand is ParenthesizedExpressionSyntax inner)
        {
            operand = inner.Expression;
        }

        return operand;
    }

    private static bool IsDefault(ExpressionSyntax operand) =>
        operand.IsKind(SyntaxKind.DefaultLiteralExpression) || operand.IsKind(SyntaxKind.DefaultExpression);

    // A local that the next line fills is the method's own affair.
    private static bool IsOfMember(SyntaxNode node) =>
        node.Parent is EqualsValueClauseSyntax
            { Parent: PropertyDeclarationSyntax or VariableDeclaratorSyntax { Parent.Parent: FieldDeclarationSyntax } };
}
