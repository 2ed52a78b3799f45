using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Reads the code of one member: its own lines, and with a constructor the initializers that run before it.</summary>
internal static class HelperReader
{
    /// <summary>Reads a method, accessor, constructor, or the initializer of a static field or property.</summary>
    public static HelperSummary Read(ISymbol member, HelperFacts facts, CancellationToken cancel)
    {
        List<Offence> offences = [];
        HashSet<ISymbol> uses = new(SymbolEqualityComparer.Default);
        foreach (SyntaxNode code in Code(member, cancel))
        {
            IOperation? root = facts.ModelOf(code.SyntaxTree).GetOperation(code, cancel);
            foreach (IOperation operation in root?.DescendantsAndSelf() ?? [])
            {
                cancel.ThrowIfCancellationRequested();
                offences.AddRange(Offences.Of(operation, facts).Where(static o => !o.OnlyInOwnLines));
                if (Used(operation) is { } used && facts.IsFollowed(used))
                {
                    uses.Add(used);
                }
            }
        }

        return offences.Count == 0 && uses.Count == 0 ? HelperSummary.Empty : new HelperSummary(offences, [.. uses]);
    }

    /// <summary>The member whose code an operation runs; null if it runs none.</summary>
    public static ISymbol? Used(IOperation operation) => operation switch
    {
        IInvocationOperation call => Of(call.TargetMethod),
        IMethodReferenceOperation method => Of(method.Method),
        IObjectCreationOperation { Constructor: { } constructor } => Of(constructor),
        IPropertyReferenceOperation { Property: { IsStatic: true } property } when IsAuto(property) => property,
        IPropertyReferenceOperation { Property: { } property, Parent: { } parent } => Of(Accessor(property, parent, operation)),
        IFieldReferenceOperation { Field: { IsStatic: true, IsConst: false } field } => field.OriginalDefinition,
        IBinaryOperation { OperatorMethod: { } method } => Of(method),
        IUnaryOperation { OperatorMethod: { } method } => Of(method),
        IConversionOperation { OperatorMethod: { } method } => Of(method),
        _ => null,
    };

    private static ISymbol? Of(IMethodSymbol? method)
    {
        IMethodSymbol? found = method?.ReducedFrom ?? method;
        return found?.MethodKind is MethodKind.LocalFunction or MethodKind.AnonymousFunction or MethodKind.DelegateInvoke ? null
            : found?.OriginalDefinition;
    }

    private static IMethodSymbol? Accessor(IPropertySymbol property, IOperation parent, IOperation reference) =>
        parent is ISimpleAssignmentOperation assignment && assignment.Target == reference ? property.SetMethod : property.GetMethod;

    private static bool IsAuto(IPropertySymbol property) =>
        property.ContainingType.GetMembers().Any(m => m is IFieldSymbol field
            && SymbolEqualityComparer.Default.Equals(field.AssociatedSymbol, property));

    private static IEnumerable<SyntaxNode> Code(ISymbol member, CancellationToken cancel)
    {
        if (member is IMethodSymbol { MethodKind: MethodKind.Constructor } constructor)
        {
            return Initializers(constructor.ContainingType, cancel)
                .Concat(Declarations(constructor, cancel).OfType<ConstructorDeclarationSyntax>());
        }

        return member is IFieldSymbol or IPropertySymbol
            ? Declarations(member, cancel).Select(static d => InitializerOf(d)).OfType<SyntaxNode>()
            : Declarations((member as IMethodSymbol)?.PartialImplementationPart ?? member, cancel);
    }

    private static IEnumerable<SyntaxNode> Declarations(ISymbol member, CancellationToken cancel) =>
        member.DeclaringSyntaxReferences.Select(r => r.GetSyntax(cancel));

    private static IEnumerable<SyntaxNode> Initializers(INamedTypeSymbol type, CancellationToken cancel) =>
        type.GetMembers().Where(static m => !m.IsStatic && m is IFieldSymbol or IPropertySymbol)
            .SelectMany(m => Declarations(m, cancel)).Select(static d => InitializerOf(d)).OfType<SyntaxNode>();

    private static EqualsValueClauseSyntax? InitializerOf(SyntaxNode declaration) => declaration switch
    {
        VariableDeclaratorSyntax { Initializer: { } value } => value,
        PropertyDeclarationSyntax { Initializer: { } value } => value,
        _ => null,
    };
}
