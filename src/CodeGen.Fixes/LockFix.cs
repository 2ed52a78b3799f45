using System.Collections.Immutable;
using System.Composition;
using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Formatting;

namespace Ambrosia.CodeGen.Fixes;

/// <summary>Leaves out a lock and keeps what it guards.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class LockFix : SyntaxFix
{
    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = Ids(HandlerRules.Blocks);

    private protected override IEnumerable<Offer> Offers(SyntaxNode root, SyntaxNode node, SemanticModel model, CancellationToken cancel) =>
        node is LockStatementSyntax locked ? [new Offer("Remove the lock", () => Without(root, locked))] : [];

    private static SyntaxNode Without(SyntaxNode root, LockStatementSyntax locked)
    {
        // Its variables could meet others of the same names outside, and a place for one statement takes no more.
        bool declares = locked.Statement is BlockSyntax { Statements: { } all }
            && all.Any(static s => s is LocalDeclarationStatementSyntax or LocalFunctionStatementSyntax);
        if (locked.Statement is not BlockSyntax { Statements: { Count: > 0 } statements } || declares || locked.Parent is not BlockSyntax)
        {
            return root.ReplaceNode(locked, locked.Statement.WithTriviaFrom(locked).WithAdditionalAnnotations(Formatter.Annotation));
        }

        IEnumerable<StatementSyntax> freed = statements.Select(static s => s.WithAdditionalAnnotations(Formatter.Annotation));
        StatementSyntax first = freed.First();
        StatementSyntax[] moved = [first.WithLeadingTrivia(locked.GetLeadingTrivia()), .. freed.Skip(1)];
        return root.ReplaceNode(locked, moved);
    }
}
