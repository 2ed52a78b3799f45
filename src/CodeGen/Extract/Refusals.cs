using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Why a type cannot be sent, and what to do instead.</summary>
internal static class Refusals
{
    /// <summary>The reason for types that no attribute or member could make sendable; null for those that their members decide.</summary>
    /// <param name="type">The type.</param>
    /// <param name="hasResolver">Whether a resolver may know types that the binding has no formatter for.</param>
    public static string? Of(ITypeSymbol type, bool hasResolver)
    {
        string name = TypeText.People(type.WithNullableAnnotation(NullableAnnotation.NotAnnotated));
        switch (type.TypeKind)
        {
            case TypeKind.Dynamic:
                return "dynamic could be anything; name the type";
            case TypeKind.TypeParameter:
                return $"{name} is a type parameter";
            case TypeKind.Delegate:
                return $"{name} is a delegate; code cannot travel, send data and let the receiver decide";
            case TypeKind.Pointer or TypeKind.FunctionPointer:
                return $"{name} is a pointer, which means nothing in another process";
            case TypeKind.Error:
                return $"{name} is not known; the compiler says why";
        }

        if (type.SpecialType == SpecialType.System_Object)
        {
            return "object could be anything; name the type, or list the possible ones with [Union] on a common base class";
        }

        if (type.SpecialType is SpecialType.System_IntPtr or SpecialType.System_UIntPtr)
        {
            return $"{name} has another size on another machine; use long or ulong";
        }

        return type.IsRefLikeType ? $"{name} lives on the stack only; use an array or Memory<byte>" : OfNamed(type, name, hasResolver);
    }

    private static string? OfNamed(ITypeSymbol type, string name, bool hasResolver)
    {
        for (ITypeSymbol? walk = type; walk is not null; walk = walk.BaseType)
        {
            switch (walk.OriginalDefinition.ToDisplayString())
            {
                case "Ambrosia.ImmortalProxy":
                    return $"{name} is a proxy; send the instance's name and make the proxy there with Proxy<{name}>(name)";
                case "System.IO.Stream":
                    return $"{name} is a stream; send its bytes, in several messages if they are many";
                case "System.Exception":
                    return $"{name} is an exception; throw it, or send a record of what the receiver needs";
                case "System.Threading.Tasks.Task":
                    return $"{name} is a task; await it and send its result";
            }
        }

        if (type.ContainingNamespace?.ToDisplayString() is not { } space)
        {
            return null;
        }

        return space switch
        {
            "Ambrosia" when type.Name.StartsWith("Durable", StringComparison.Ordinal) =>
                $"{name} is state of one immortal; send a List, Dictionary or HashSet made from it",
            _ when hasResolver => null,
            "System" or "Microsoft" or "Ambrosia" => Unknown(name),
            _ when space.StartsWith("System.", StringComparison.Ordinal) || space.StartsWith("Microsoft.", StringComparison.Ordinal)
                || space.StartsWith("Ambrosia.", StringComparison.Ordinal) && type.ContainingAssembly?.Name == "Ambrosia.CSharpBinding" =>
                    Unknown(name),
            _ => null,
        };
    }

    private static string Unknown(string name) =>
        $"there is no formatter for {name}; use a type of your own, or one of those listed in docs/guide/csharp.md";
}
