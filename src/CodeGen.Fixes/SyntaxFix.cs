using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;

namespace Ambrosia.CodeGen.Fixes;

/// <summary>A fix that replaces nodes of the one file that the finding is in.</summary>
public abstract class SyntaxFix : CodeFixProvider
{
    /// <inheritdoc/>
    public sealed override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    /// <inheritdoc/>
    public sealed override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        CancellationToken cancel = context.CancellationToken;
        if (await context.Document.GetSyntaxRootAsync(cancel) is not { } root
            || await context.Document.GetSemanticModelAsync(cancel) is not { } model)
        {
            return;
        }

        foreach (Diagnostic diagnostic in context.Diagnostics)
        {
            SyntaxNode node = root.FindNode(diagnostic.Location.SourceSpan, getInnermostNodeForTie: true);
            foreach (Offer offer in Offers(root, node, model, cancel))
            {
                context.RegisterCodeFix(
                    CodeAction.Create(offer.Title, _ => Task.FromResult(context.Document.WithSyntaxRoot(offer.Apply())), offer.Title),
                        diagnostic);
            }
        }
    }

    /// <summary>What can be done about a finding at a node; nothing if the fix would not compile there.</summary>
    private protected abstract IEnumerable<Offer> Offers(SyntaxNode root, SyntaxNode node, SemanticModel model, CancellationToken cancel);

    private protected static ImmutableArray<string> Ids(params DiagnosticDescriptor[] rules) =>
        rules.Select(static r => r.Id).ToImmutableArray();
}
