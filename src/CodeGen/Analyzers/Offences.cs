using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>
/// Finds what an operation does that code executed in a turn may not; the same for handlers and for the helpers that they call.
/// </summary>
internal static class Offences
{
    /// <summary>What the operation itself breaks; what it calls is another operation's, or a helper's.</summary>
    public static IEnumerable<Offence> Of(IOperation operation, HelperFacts facts) => operation switch
    {
        IInvocationOperation call => OfCall(call, facts),
        IPropertyReferenceOperation property =>
            [.. OfMember(property.Property, property, facts), .. OfRead(property.Property, property, facts)],
        IFieldReferenceOperation field => OfRead(field.Field, field, facts),
        IMethodReferenceOperation method => OfMember(method.Method, method, facts),
        IObjectCreationOperation { Constructor: { } constructor } creation => OfMember(constructor, creation, facts),
        ICoalesceAssignmentOperation => [], // Made when it is first needed: the same each time.
        ISimpleAssignmentOperation { Target: IDiscardOperation, Value: { } value } => OfDropped(value, facts),
        IAssignmentOperation assignment => OfWrite(assignment.Target),
        IIncrementOrDecrementOperation step => OfWrite(step.Target),
        IExpressionStatementOperation { Operation: IInvocationOperation dropped } => OfDropped(dropped, facts),
        // Outside of immortals it may well be awaited.
        IVariableDeclaratorOperation { Initializer.Value: { } value } =>
            OfDropped(value, facts).Select(static o => o with { OnlyInOwnLines = true }),
        ILockOperation locked => [Lock(locked)],
        _ => [],
    };

    private static IEnumerable<Offence> OfCall(IInvocationOperation call, HelperFacts facts)
    {
        foreach (Offence offence in OfMember(call.TargetMethod, call, facts))
        {
            yield return offence;
        }

        if (StaticState.Changed(call) is { } changed)
        {
            yield return new Offence(HandlerRules.WritesStaticState, StaticState.Label(changed), "", call.Syntax.GetLocation())
            {
                // A helper that remembers what it computed gives the same each time.
                OnlyInOwnLines = call.TargetMethod.Name == "GetOrAdd",
            };
        }
    }

    private static IEnumerable<Offence> OfMember(ISymbol used, IOperation operation, HelperFacts facts)
    {
        if (facts.Forbidden(used.OriginalDefinition) is { } found && !(found.MayBeTold && IsDropped(operation.Syntax)))
        {
            yield return new Offence(found.Rule, ImmortalTypes.Label(used), found.Advice, operation.Syntax.GetLocation());
        }
    }

    // Whether all that comes of it, of what is called on it, and so on, is nobody's.
    private static bool IsDropped(SyntaxNode used)
    {
        SyntaxNode node = used;
        while (node.Parent is ConditionalAccessExpressionSyntax or PostfixUnaryExpressionSyntax or ParenthesizedExpressionSyntax
            or InvocationExpressionSyntax || node.Parent is MemberAccessExpressionSyntax access && access.Expression == node)
        {
            node = node.Parent;
        }

        return node != used && (node.Parent is ExpressionStatementSyntax || node.Parent is ArrowExpressionClauseSyntax
        {
            Parent: MethodDeclarationSyntax { ReturnType: PredefinedTypeSyntax { Keyword.ValueText: "void" } }
                or LocalFunctionStatementSyntax { ReturnType: PredefinedTypeSyntax { Keyword.ValueText: "void" } },
        });
    }

    private static IEnumerable<Offence> OfWrite(IOperation target)
    {
        if (StaticState.Written(target) is { } written)
        {
            yield return new Offence(HandlerRules.WritesStaticState, StaticState.Label(written), "", target.Syntax.GetLocation());
        }
    }

    private static IEnumerable<Offence> OfRead(ISymbol read, IOperation operation, HelperFacts facts)
    {
        if (read.IsStatic && operation.Parent is not INameOfOperation && facts.IsChanging(read))
        {
            yield return new Offence(HandlerRules.WritesStaticState, StaticState.Label(read), "", operation.Syntax.GetLocation());
        }
    }

    /// <summary>Whether the method goes on after it has returned.</summary>
    public static bool StartsWork(IMethodSymbol method) =>
        (IsTask(method.ReturnType) && !IsTask(method.ContainingType)) || method is { ReturnsVoid: true, IsAsync: true };

    // Calls through proxies, of the immortal's own methods and of what is forbidden anyway have rules of their own.
    private static IEnumerable<Offence> OfDropped(IOperation value, HelperFacts facts)
    {
        IOperation started = value is IConversionOperation conversion ? conversion.Operand : value;
        if (started is not IInvocationOperation { TargetMethod: { } target } call)
        {
            yield break;
        }

        if (StartsWork(target) && !ImmortalTypes.IsProxy(target.ContainingType) && !ImmortalTypes.IsImmortal(target.ContainingType)
            && facts.Forbidden(target.OriginalDefinition) is null)
        {
            yield return new Offence(HandlerRules.DroppedWork, ImmortalTypes.Label(target), "", call.Syntax.GetLocation());
        }
    }

    private static bool IsTask(ITypeSymbol? type) => type is { Name: "Task" or "ValueTask" }
        && type.ContainingNamespace?.ToDisplayString() == "System.Threading.Tasks";

    // In a helper a lock guards what others share with it.
    private static Offence Lock(ILockOperation locked) => new(
        HandlerRules.Blocks, "lock", "leave it out: turns are never concurrent, and what other threads find is sent as an impulse",
        ((LockStatementSyntax)locked.Syntax).LockKeyword.GetLocation()) { OnlyInOwnLines = true };
}
