using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>What a host injects into an immortal is for outside of turns, and must not become state.</summary>
internal static class InjectedRules
{
    /// <summary>Whether a host can make the immortal with this constructor: it takes nothing, or what may be a service.</summary>
    public static bool CanMake(IMethodSymbol constructor) => constructor.DeclaredAccessibility == Accessibility.Public
        && constructor.Parameters.All(static p => p.HasExplicitDefaultValue || MayBeService(p.Type));

    /// <summary>Reports a parameter of an immortal's constructor that is kept in a saved field.</summary>
    public static void Check(OperationAnalysisContext context)
    {
        var reference = (IParameterReferenceOperation)context.Operation;
        IParameterSymbol parameter = reference.Parameter;
        if (parameter.ContainingSymbol is IMethodSymbol { MethodKind: MethodKind.Constructor } constructor && MayBeService(parameter.Type)
            && ImmortalTypes.IsImmortal(constructor.ContainingType) && IsInjected(constructor)
            && Keeper(reference, context.ContainingSymbol, constructor) is { } keeper)
        {
            context.ReportDiagnostic(Diagnostic.Create(
                StateRules.SavesService, reference.Syntax.GetLocation(), $"{parameter.Type.Name} {parameter.Name}", keeper));
        }
    }

    // A class that can be made of nothing is, unless it names another constructor. So one that takes a converted state injects nothing.
    private static bool IsInjected(IMethodSymbol constructor)
    {
        IMethodSymbol[] open = [.. constructor.ContainingType.InstanceConstructors
            .Where(static each => each.DeclaredAccessibility == Accessibility.Public)];
        return open.Contains(constructor, SymbolEqualityComparer.Default)
            && (!open.Any(static each => each.Parameters.Length == 0) || open.Any(IsChosen));
    }

    private static bool IsChosen(IMethodSymbol constructor) => constructor.Parameters.Length > 0 && constructor.GetAttributes()
        .Any(static each => each.AttributeClass?.Name == "ActivatorUtilitiesConstructorAttribute");

    private static bool MayBeService(ITypeSymbol type) =>
        type is { IsReferenceType: true, SpecialType: SpecialType.None, TypeKind: TypeKind.Class or TypeKind.Interface };

    // What keeps the parameter; null if nothing that is saved does.
    private static string? Keeper(IParameterReferenceOperation reference, ISymbol within, IMethodSymbol constructor)
    {
        if (within is IMethodSymbol && !SymbolEqualityComparer.Default.Equals(within, constructor))
        {
            return "what a primary constructor keeps for the methods"; // The compiler makes a field of it.
        }

        IOperation value = reference;
        while (value.Parent is IConversionOperation or ICoalesceOperation)
        {
            value = value.Parent;
        }

        ISymbol? target = value.Parent switch
        {
            ISimpleAssignmentOperation { Target: IMemberReferenceOperation assigned } assignment
                when assignment.Value == value => assigned.Member,
            IFieldInitializerOperation field => field.InitializedFields.FirstOrDefault(),
            IPropertyInitializerOperation property => property.InitializedProperties.FirstOrDefault(),
            _ => null,
        };
        return target is { IsStatic: false } and (IFieldSymbol or IPropertySymbol) && ImmortalTypes.IsImmortal(target.ContainingType)
            && !IsNotSaved(target) ? target.Name : null;
    }

    private static bool IsNotSaved(ISymbol target) => ImmortalTypes.IsNotSaved(target) || target.ContainingType.GetMembers()
        .OfType<IFieldSymbol>()
        .Any(f => SymbolEqualityComparer.Default.Equals(f.AssociatedSymbol, target) && ImmortalTypes.IsNotSaved(f));
}
