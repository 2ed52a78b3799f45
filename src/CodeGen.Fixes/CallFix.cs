using System.Collections.Immutable;
using System.Composition;
using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.CodeGen.Fixes;

/// <summary>For calls and loops in handlers: await it, send it without waiting, enumerate a copy.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class CallFix : SyntaxFix
{
    private static readonly string[] s_suffixes = ["Async", "Impulse"];

    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } =
        Ids(AwaitRules.DroppedTask, AwaitRules.EnumeratorOverAwait, HandlerRules.ImpulseFromHandler);

    private protected override IEnumerable<Offer> Offers(SyntaxNode root, SyntaxNode node, SemanticModel model, CancellationToken cancel)
    {
        if (node.FirstAncestorOrSelf<ExpressionSyntax>() is not { } expression)
        {
            yield break;
        }

        if (expression.Parent is ForEachStatementSyntax loop && loop.Expression == expression)
        {
            yield return new Offer("Enumerate a copy", () => root.ReplaceNode(
                expression, SyntaxFactory.ParseExpression($"{expression}.ToArray()").WithTriviaFrom(expression)));
            yield break;
        }

        if (expression is not InvocationExpressionSyntax call || model.GetSymbolInfo(call, cancel).Symbol is not IMethodSymbol target)
        {
            yield break;
        }

        foreach (string suffix in s_suffixes.Where(s => target.Name.EndsWith(s, StringComparison.Ordinal)))
        {
            string fork = target.Name.Substring(0, target.Name.Length - suffix.Length) + "Fork";
            if (!target.ContainingType.GetMembers(fork).IsEmpty && call.Expression is MemberAccessExpressionSyntax access
                && call.Parent is ExpressionStatementSyntax)
            {
                yield return new Offer($"Send it without waiting: {fork}",
                    () => root.ReplaceNode(access, access.WithName(SyntaxFactory.IdentifierName(fork).WithTriviaFrom(access.Name))));
            }
        }

        if (target.ReturnType.Name == "DurableTask" && Place.CanAwait(call))
        {
            yield return new Offer("Await it", () => root.ReplaceNode(
                call, SyntaxFactory.ParseExpression($"await {call.WithoutTrivia()}").WithTriviaFrom(call)));
        }
    }
}
