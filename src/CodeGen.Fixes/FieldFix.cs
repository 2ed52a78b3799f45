using System.Collections.Immutable;
using System.Composition;
using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.CodeGen.Fixes;

/// <summary>For a field that cannot be saved: the ordinary collection in the place of a concurrent one, or [NotSaved].</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class FieldFix : SyntaxFix
{
    private static readonly Dictionary<string, string> s_ordinary = new()
    {
        ["ConcurrentDictionary"] = "Dictionary",
        ["ConcurrentQueue"] = "Queue",
        ["ConcurrentStack"] = "Stack",
        ["ConcurrentBag"] = "List",
    };

    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = Ids(StateRules.UnsavableField);

    private protected override IEnumerable<Offer> Offers(SyntaxNode root, SyntaxNode node, SemanticModel model, CancellationToken cancel)
    {
        if (node.FirstAncestorOrSelf<MemberDeclarationSyntax>() is not (FieldDeclarationSyntax or PropertyDeclarationSyntax))
        {
            yield break;
        }

        MemberDeclarationSyntax member = node.FirstAncestorOrSelf<MemberDeclarationSyntax>()!;
        GenericNameSyntax[] concurrent = [.. member.DescendantNodes().OfType<GenericNameSyntax>()
            .Where(static n => s_ordinary.ContainsKey(n.Identifier.ValueText))];
        if (concurrent.Length > 0)
        {
            string name = concurrent[0].Identifier.ValueText;
            yield return new Offer($"Use a {s_ordinary[name]}",
                () => root.ReplaceNodes(concurrent.Select(static n => Whole(n)), static (whole, _) => Ordinary(whole)));
        }

        yield return new Offer("Mark it [NotSaved], and set it in BecomingPrimary", () => root.ReplaceNode(member, NotSaved(member)));
    }

    // With the namespace that it is written with.
    private static NameSyntax Whole(GenericNameSyntax name) =>
        name.Parent is QualifiedNameSyntax qualified && qualified.Right == name ? qualified : name;

    private static NameSyntax Ordinary(NameSyntax whole)
    {
        GenericNameSyntax name = whole as GenericNameSyntax ?? (GenericNameSyntax)((QualifiedNameSyntax)whole).Right;
        GenericNameSyntax ordinary = name.WithIdentifier(SyntaxFactory.Identifier(s_ordinary[name.Identifier.ValueText]));
        NameSyntax made = whole is QualifiedNameSyntax
            ? SyntaxFactory.QualifiedName(SyntaxFactory.ParseName("System.Collections.Generic"), ordinary) : ordinary;
        return made.WithTriviaFrom(whole);
    }

    private static MemberDeclarationSyntax NotSaved(MemberDeclarationSyntax member)
    {
        SyntaxTriviaList before = member.GetLeadingTrivia();
        SyntaxTriviaList indent = [.. before.Reverse().TakeWhile(static t => t.IsKind(SyntaxKind.WhitespaceTrivia))];
        AttributeListSyntax attribute = SyntaxFactory.AttributeList(
            SyntaxFactory.SingletonSeparatedList(SyntaxFactory.Attribute(SyntaxFactory.ParseName("NotSaved"))))
            .WithLeadingTrivia(before).WithTrailingTrivia(SyntaxFactory.ElasticCarriageReturnLineFeed);
        MemberDeclarationSyntax bare = member.WithLeadingTrivia(indent);
        return bare.WithAttributeLists(bare.AttributeLists.Insert(0, attribute));
    }
}
