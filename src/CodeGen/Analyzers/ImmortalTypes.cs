using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Recognizes the runtime's types.</summary>
internal static class ImmortalTypes
{
    /// <summary>Whether the class is an immortal.</summary>
    public static bool IsImmortal(ITypeSymbol? type) => DerivesFrom(type, "Ambrosia.Immortal");

    /// <summary>Whether the type is a generated proxy.</summary>
    public static bool IsProxy(ITypeSymbol? type) => DerivesFrom(type, "Ambrosia.ImmortalProxy");

    /// <summary>Whether the class performs effects, which is done outside of turns: it implements an [EffectInterface].</summary>
    public static bool PerformsEffects(ITypeSymbol type) => type.AllInterfaces.Any(static i => Has(i, "Ambrosia.EffectInterfaceAttribute"));

    /// <summary>Whether the field or property is marked [NotSaved].</summary>
    public static bool IsNotSaved(ISymbol member) => Has(member, "Ambrosia.NotSavedAttribute");

    /// <summary>Whether the handler is a query.</summary>
    public static bool IsQuery(ISymbol member) =>
        member is IMethodSymbol { OverriddenMethod: { } overridden } && Has(overridden, "Ambrosia.QueryAttribute");

    /// <summary>Whether the symbol has an attribute of this full name.</summary>
    public static bool Has(ISymbol symbol, string attribute) =>
        symbol.GetAttributes().Any(a => a.AttributeClass?.ToDisplayString() == attribute);

    /// <summary>Whether the type is a durable task, with or without result.</summary>
    public static bool IsDurableTask(ITypeSymbol? type) =>
        type is INamedTypeSymbol
            { Name: "DurableTask", ContainingNamespace: { Name: "Ambrosia", ContainingNamespace.IsGlobalNamespace: true } };

    /// <summary>Whether the type or one of its base classes has this full name; type parameters do not count.</summary>
    public static bool DerivesFrom(ITypeSymbol? type, string name)
    {
        for (ITypeSymbol? walk = type; walk is not null; walk = walk.BaseType)
        {
            if (FullName(walk) == name)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Namespace and name, without type parameters.</summary>
    public static string FullName(ITypeSymbol type)
    {
        string name = type.ContainingType is { } outer ? FullName(outer) + "." + type.Name : type.Name;
        return type.ContainingType is null && type.ContainingNamespace is { IsGlobalNamespace: false } space
            ? space.ToDisplayString() + "." + name : name;
    }

    /// <summary>A member as an error text shows it: <c>DateTime.UtcNow</c>, <c>Task.Run</c>.</summary>
    public static string Label(ISymbol member) =>
        member switch
    {
        IMethodSymbol { MethodKind: MethodKind.Constructor } => $"new {member.ContainingType.Name}()",
        IMethodSymbol { AssociatedSymbol: { } property } => Label(property),
        _ => $"{member.ContainingType.Name}.{member.Name}",
    };
}
