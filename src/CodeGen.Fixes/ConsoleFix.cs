using System.Collections.Immutable;
using System.Composition;
using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.CodeGen.Fixes;

/// <summary>Writes to the immortal's Log what went to the console.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class ConsoleFix : SyntaxFix
{
    private const string Space = "Microsoft.Extensions.Logging";

    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = Ids(HandlerRules.Repeats);

    private protected override IEnumerable<Offer> Offers(SyntaxNode root, SyntaxNode node, SemanticModel model, CancellationToken cancel)
    {
        bool isLine = node.FirstAncestorOrSelf<InvocationExpressionSyntax>() is { ArgumentList.Arguments.Count: 1 } found
            && model.GetSymbolInfo(found, cancel).Symbol is { Name: "WriteLine", ContainingType: { } owner }
                && owner.ToDisplayString() == "System.Console"
            && Place.IsInImmortal(node, model);
        return isLine ? [new Offer("Write it to Log", () => Log(root, node.FirstAncestorOrSelf<InvocationExpressionSyntax>()!))] : [];
    }

    private static CompilationUnitSyntax Log(SyntaxNode root, InvocationExpressionSyntax call)
    {
        ExpressionSyntax text = call.ArgumentList.Arguments[0].Expression;
        // A text is a template to a logger: what is put together at run time is a value in it.
        string arguments = text is LiteralExpressionSyntax literal && literal.IsKind(SyntaxKind.StringLiteralExpression)
            ? literal.ToString().Replace("{", "{{").Replace("}", "}}")
            : $"\"{{Text}}\", {text}";
        SyntaxNode changed = root.ReplaceNode(call, SyntaxFactory.ParseExpression($"Log.LogInformation({arguments})").WithTriviaFrom(call));
        CompilationUnitSyntax unit = (CompilationUnitSyntax)changed;
        return unit.Usings.Any(static u => u.Name?.ToString() == Space) ? unit
            : unit.AddUsings(SyntaxFactory.UsingDirective(SyntaxFactory.ParseName(Space)).NormalizeWhitespace()
            .WithTrailingTrivia(SyntaxFactory.ElasticCarriageReturnLineFeed));
    }
}
