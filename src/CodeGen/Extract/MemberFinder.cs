using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Finds the members of a type that travel: those of base classes first, in the order of declaration.</summary>
internal static class MemberFinder
{
    /// <summary>Whether the type chooses its members itself, by [DataContract] and [DataMember].</summary>
    public static bool IsDataContract(INamedTypeSymbol type) => type.GetAttributes().Any(static a =>
        a.AttributeClass?.ToDisplayString() == "System.Runtime.Serialization.DataContractAttribute");

    /// <summary>The members that travel.</summary>
    public static List<ObjectMember> Find(INamedTypeSymbol type)
    {
        bool chosen = IsDataContract(type);
        List<ObjectMember> members = [];
        foreach (INamedTypeSymbol level in Levels(type))
        {
            foreach (ISymbol symbol in level.GetMembers())
            {
                if (Candidate(symbol) is not { } member || member.IsIgnored || (chosen && member.DataMember is null))
                {
                    continue;
                }

                // An override or a hiding member takes the place of the one it stands for.
                int same = members.FindIndex(m => m.Name == member.Name);
                if (same >= 0)
                {
                    members[same] = member;
                }
                else
                {
                    members.Add(member);
                }
            }
        }

        return members;
    }

    /// <summary>A type and its base classes, the lowest first.</summary>
    public static Stack<INamedTypeSymbol> Levels(INamedTypeSymbol type)
    {
        Stack<INamedTypeSymbol> levels = new();
        for (INamedTypeSymbol? walk = type; walk is { SpecialType: SpecialType.None }; walk = walk.BaseType)
        {
            levels.Push(walk);
        }

        return levels;
    }

    private static ObjectMember? Candidate(ISymbol symbol)
    {
        if (symbol.IsStatic || symbol.DeclaredAccessibility != Accessibility.Public)
        {
            return null;
        }

        return symbol switch
        {
            IPropertySymbol { IsIndexer: false, GetMethod.DeclaredAccessibility: Accessibility.Public } property =>
                new ObjectMember(property, property.Type),
            IFieldSymbol { IsImplicitlyDeclared: false } field => new ObjectMember(field, field.Type),
            _ => null,
        };
    }
}
