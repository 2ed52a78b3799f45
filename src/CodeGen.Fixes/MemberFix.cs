using System.Collections.Immutable;
using System.Composition;
using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.CodeGen.Fixes;

/// <summary>Puts the member of Immortal in the place of the library's: LogTime, NewGuid(), Random, Delay.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp)]
[Shared]
public sealed class MemberFix : SyntaxFix
{
    private static readonly Dictionary<string, string> s_members = new()
    {
        ["System.DateTime.Now"] = "LogTime.UtcDateTime",
        ["System.DateTime.UtcNow"] = "LogTime.UtcDateTime",
        ["System.DateTime.Today"] = "LogTime.UtcDateTime.Date",
        ["System.DateTimeOffset.Now"] = "LogTime",
        ["System.DateTimeOffset.UtcNow"] = "LogTime",
        ["System.TimeProvider.GetUtcNow"] = "LogTime",
        ["System.Environment.TickCount64"] = "LogTime.ToUnixTimeMilliseconds()",
        ["System.Guid.NewGuid"] = "NewGuid()",
        ["System.Guid.CreateVersion7"] = "NewGuid()",
        ["System.Random.Shared"] = "Random",
        ["System.Random..ctor"] = "Random",
    };

    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } =
        Ids(HandlerRules.NonDeterministic, HandlerRules.LeavesTurn, HandlerRules.Blocks, HandlerRules.ConfiguresAwait);

    private protected override IEnumerable<Offer> Offers(SyntaxNode root, SyntaxNode node, SemanticModel model, CancellationToken cancel)
    {
        if (node.FirstAncestorOrSelf<ExpressionSyntax>() is not { } expression
            || model.GetSymbolInfo(expression, cancel).Symbol is not { } used)
        {
            return [];
        }

        if (used.Name == "ConfigureAwait"
            && expression is InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax configured })
        {
            return [Replace(root, expression, configured.Expression, "Remove ConfigureAwait")];
        }

        string name = used.ContainingType?.ToDisplayString() + "." + used.Name;
        return !Place.IsInImmortal(expression, model) ? []
            : name is "System.Threading.Tasks.Task.Delay" or "System.Threading.Thread.Sleep" ? Wait(root, expression, used, model)
            : s_members.TryGetValue(name, out string? member)
                ? [Replace(root, expression, Expression(member, expression, model), $"Use {member}")]
            : [];
    }

    // Of a method that is handed on, only the name.
    private static ExpressionSyntax Expression(string member, ExpressionSyntax replaced, SemanticModel model)
    {
        bool isGroup = replaced is not InvocationExpressionSyntax
            && model.GetSymbolInfo(replaced).Symbol is IMethodSymbol { MethodKind: MethodKind.Ordinary };
        return SyntaxFactory.ParseExpression(isGroup ? member.Replace("()", "") : member);
    }

    private static IEnumerable<Offer> Wait(SyntaxNode root, ExpressionSyntax expression, ISymbol used, SemanticModel model)
    {
        bool isSleep = used.Name == "Sleep";
        if (expression is not InvocationExpressionSyntax { ArgumentList.Arguments: { Count: 1 } arguments }
            || (isSleep && !Place.CanAwait(expression)))
        {
            return [];
        }

        ExpressionSyntax time = arguments[0].Expression;
        bool isSpan = model.GetTypeInfo(time).Type?.ToDisplayString() == "System.TimeSpan";
        string call = isSpan ? $"Delay({time})" : $"Delay(TimeSpan.FromMilliseconds({time}))";
        string title = isSleep ? "Use await Delay(…)" : "Use Delay(…)";
        return [Replace(root, expression, SyntaxFactory.ParseExpression(isSleep ? "await " + call : call), title)];
    }

    private static Offer Replace(SyntaxNode root, ExpressionSyntax old, ExpressionSyntax put, string title) =>
        new(title, () => root.ReplaceNode(old, put.WithTriviaFrom(old)));
}
