using Ambrosia.Architecture.Tests.Symbols;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.Architecture.Tests;

/// <summary>What one reader can hold in the head: a class of 400 lines with 25 fields, a method of 60 lines, counted over all parts of a
/// class.</summary>
public sealed class SizesTests
{
    private const int MostLinesOfType = 400, MostFields = 25, MostLinesOfMethod = 60;

    private static readonly Lazy<IReadOnlyList<TypePart>> s_parts = new(static () => [.. SourceFile.Sources.SelectMany(Parts)]);

    [Fact]
    public void A_class_is_short_over_all_its_files() =>
        new Debt("long-classes")
        .RequireOnly(Sums(s_parts.Value, static part => part.Lines, MostLinesOfType), "Give a part of its state a class of its own.");

    [Fact]
    public void A_class_has_few_fields_over_all_its_files() =>
        new Debt("many-fields").RequireOnly(Sums(s_parts.Value, static part => part.Fields, MostFields),
            "Give the fields that change together a class of their own.");

    [Fact]
    public void A_method_is_short() => new Debt("long-methods").RequireOnly(SourceFile.Sources.SelectMany(LongMethods), "Name its parts.");

    [Theory]
    [InlineData("class A { int _a, _b; static int s_c; const int D = 1; int E { get; } int F => 1; event System.Action? G; }", 4)]
    [InlineData("record A(int B, int C) { int _d; }", 3)]
    [InlineData("class A(int b) { class B { int _c; } }", 0)]
    public void The_rule_counts_the_fields_of_an_instance(string text, int fields) =>
        Assert.Equal(fields, Parts(SourceFile.Parse("src/P/A.cs", text)).Where(static part => part.Name == "src/P: A")
            .Sum(static part => part.Fields));

    [Fact]
    public void The_rule_adds_up_the_files_of_a_class()
    {
        string body = string.Concat(Enumerable.Repeat("// x\n", 300));
        TypePart[] parts = [.. Parts(SourceFile.Parse("src/P/A.cs", $"namespace N; partial class A\n{{\n{body}}}")),
            .. Parts(SourceFile.Parse("src/P/Q/A.Second.cs", $"namespace N; partial class A\n{{\n{body}}}"))];
        Assert.Equal("src/P: N.A", Assert.Single(Sums(parts, static part => part.Lines, MostLinesOfType)).Line);
    }

    [Theory]
    [InlineData(59, 0)]
    [InlineData(61, 1)]
    public void The_rule_sees_a_long_method(int lines, int found) => Assert.Equal(found, LongMethods(SourceFile.Parse(
        "src/P/A.cs", $"class A\n{{\n    void M()\n    {{\n{string.Concat(Enumerable.Repeat("        M();\n", lines - 3))}    }}\n}}"))
            .Count());

    private static IEnumerable<(string Line, string At)> Sums(IEnumerable<TypePart> parts, Func<TypePart, int> count, int most) => parts
        .GroupBy(static part => part.Name)
        .Where(type => type.Sum(count) > most)
        .Select(type => (type.Key, $"{type.Sum(count)} of {most}, in {string.Join(", ", type.Select(static part => part.File))}"));

    private static IEnumerable<TypePart> Parts(SourceFile file) => file.Tree.DescendantNodes().OfType<TypeDeclarationSyntax>()
        .Where(static type => type is not InterfaceDeclarationSyntax)
        .Select(type => new TypePart($"{Project(file)}: {FullName(type)}", file.Path, Lines(type), Fields(type)));

    private static int Fields(TypeDeclarationSyntax type) =>
        (type is RecordDeclarationSyntax { ParameterList: { } list } ? list.Parameters.Count : 0)
        + type.Members.Sum(static member => IsShared(member.Modifiers) ? 0 : member switch
        {
            BaseFieldDeclarationSyntax field => field.Declaration.Variables.Count,
            PropertyDeclarationSyntax { AccessorList: { } accessors } property =>
                !property.Modifiers.Any(SyntaxKind.AbstractKeyword)
                && accessors.Accessors.All(static accessor => accessor.Body is null && accessor.ExpressionBody is null) ? 1 : 0,
            _ => 0,
        });

    private static bool IsShared(SyntaxTokenList modifiers) =>
        modifiers.Any(SyntaxKind.StaticKeyword) || modifiers.Any(SyntaxKind.ConstKeyword);

    private static IEnumerable<(string Line, string At)> LongMethods(SourceFile file) =>
        file.Tree.DescendantNodes().OfType<MemberDeclarationSyntax>()
        .Where(static member =>
            member is BaseMethodDeclarationSyntax or PropertyDeclarationSyntax && Lines(member) > MostLinesOfMethod && !IsTable(member))
        .Select(member => ($"{file.Path}: {NameOf(member)}",
            $"{file.At(member)}: {Lines(member)} lines of {MostLinesOfMethod}"));

    private static string NameOf(MemberDeclarationSyntax member) => (member as MethodDeclarationSyntax)?.Identifier.Text
        ?? (member as PropertyDeclarationSyntax)?.Identifier.Text ?? "constructor";

    // One expression that lists: a switch of arms, a collection, an object with its parts.
    private static bool IsTable(MemberDeclarationSyntax member) => member switch
    {
        MethodDeclarationSyntax { ExpressionBody.Expression: SwitchExpressionSyntax or CollectionExpressionSyntax
            or BaseObjectCreationExpressionSyntax } => true,
        PropertyDeclarationSyntax { ExpressionBody.Expression: SwitchExpressionSyntax or CollectionExpressionSyntax
            or BaseObjectCreationExpressionSyntax } => true,
        PropertyDeclarationSyntax { Initializer.Value: CollectionExpressionSyntax or BaseObjectCreationExpressionSyntax } => true,
        _ => false,
    };

    private static int Lines(SyntaxNode node)
    {
        FileLinePositionSpan span = node.GetLocation().GetLineSpan();
        return span.EndLinePosition.Line - span.StartLinePosition.Line + 1;
    }

    private static string Project(SourceFile file) => string.Join('/', file.Path.Split('/').Take(2));

    private static string FullName(TypeDeclarationSyntax type) =>
        string.Join('.', type.Ancestors().Reverse().Select(static outer => outer switch
    {
        BaseNamespaceDeclarationSyntax space => space.Name.ToString(),
        TypeDeclarationSyntax outside => outside.Identifier.Text,
        _ => null,
    }).OfType<string>().Append(type.Identifier.Text + (type.TypeParameterList is null ? "" : "<>")));

    private sealed record TypePart(string Name, string File, int Lines, int Fields);
}
