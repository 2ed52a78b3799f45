using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Recognizes the runtime's types.</summary>
internal static class ImmortalTypes
{
    /// <summary>Whether the class is an immortal.</summary>
    public static bool IsImmortal(ITypeSymbol? type) => DerivesFrom(type, "Ambrosia.Immortal");

    /// <summary>Whether the type is a generated proxy.</summary>
    public static bool IsProxy(ITypeSymbol? type) => DerivesFrom(type, "Ambrosia.ImmortalProxy");

    /// <summary>Whether the type is a durable task, with or without result.</summary>
    public static bool IsDurableTask(ITypeSymbol? type) =>
        type is INamedTypeSymbol { Name: "DurableTask", ContainingNamespace: { Name: "Ambrosia", ContainingNamespace.IsGlobalNamespace: true } };

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
        return type.ContainingType is null && type.ContainingNamespace is { IsGlobalNamespace: false } space ? space.ToDisplayString() + "." + name : name;
    }

    /// <summary>A member as an error text shows it: <c>DateTime.UtcNow</c>, <c>Task.Run</c>.</summary>
    public static string Label(ISymbol member) =>
        member is IMethodSymbol { MethodKind: MethodKind.Constructor } ? $"new {member.ContainingType.Name}()" : $"{member.ContainingType.Name}.{member.Name}";
}
