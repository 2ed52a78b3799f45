using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Chooses the constructor that a received object is made with.</summary>
internal static class ConstructorChoice
{
    /// <summary>
    /// Records: the longest constructor that members can feed. Other types: the parameterless one if that leaves no member unset,
    /// otherwise the longest. Null if none can be fed.
    /// </summary>
    public static IMethodSymbol? For(INamedTypeSymbol type, List<ObjectMember> members)
    {
        IMethodSymbol[] usable = type.InstanceConstructors
            .Where(c => c.DeclaredAccessibility == Accessibility.Public && c.Parameters.All(p => Feeding(p, members) is not null))
            .OrderByDescending(static c => c.Parameters.Length)
            .ToArray();
        bool parameterlessSuffices = !type.IsRecord && members.TrueForAll(static m => m.CanInitialize || m.IsComputed);
        return (parameterlessSuffices ? usable.LastOrDefault(static c => c.Parameters.IsEmpty) : null) ?? usable.FirstOrDefault();
    }

    /// <summary>The member whose value a constructor parameter takes: of the same type, and of the same name but for case.</summary>
    public static ObjectMember? Feeding(IParameterSymbol parameter, List<ObjectMember> members)
    {
        return parameter.RefKind is RefKind.None or RefKind.In
            ? members.Find(m => string.Equals(m.Name, parameter.Name, StringComparison.Ordinal) && SameType(m))
                ?? members.Find(m => string.Equals(m.Name, parameter.Name, StringComparison.OrdinalIgnoreCase) && SameType(m))
            : null;

        bool SameType(ObjectMember member) => SymbolEqualityComparer.Default.Equals(member.Type, parameter.Type);
    }
}
