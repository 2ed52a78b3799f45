using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Recognizes static fields and properties that are changed, and what stands in collections that they hold.</summary>
internal static class StaticState
{
    private static readonly HashSet<string> s_changing =
    [
        "Add", "AddAfter", "AddBefore", "AddFirst", "AddLast", "AddOrUpdate", "AddRange", "Append", "AppendFormat", "AppendLine",
        "Clear", "Dequeue", "Enqueue", "EnqueueDequeue", "EnqueueRange", "ExceptWith", "GetOrAdd", "Insert", "InsertRange",
        "IntersectWith", "Pop", "Push", "PushRange", "Remove", "RemoveAll", "RemoveAt", "RemoveFirst", "RemoveLast", "RemoveRange",
        "RemoveWhere", "Replace", "Reverse", "Set", "SetAll", "Sort", "SymmetricExceptWith", "Take", "TryAdd", "TryDequeue", "TryPop",
        "TryPopRange", "TryPush", "TryRead", "TryRemove", "TryTake", "TryUpdate", "TryWrite", "UnionWith", "WriteAsync",
    ];

    private static readonly HashSet<string> s_spaces =
    [
        "System.Collections", "System.Collections.Generic", "System.Collections.Concurrent", "System.Collections.ObjectModel",
        "System.Threading.Channels",
    ];

    /// <summary>Whether the name is that of a method that changes a collection.</summary>
    public static bool IsChange(string method) => s_changing.Contains(method);

    /// <summary>Whether values of the type are collections that can change.</summary>
    public static bool IsCollection(ITypeSymbol? type) => type is { ContainingNamespace: { } space }
        && (type.Name == "StringBuilder" || s_spaces.Contains(space.ToDisplayString()))
        && !type.Name.StartsWith("IReadOnly", StringComparison.Ordinal) && !type.Name.StartsWith("ReadOnly", StringComparison.Ordinal)
        && !type.Name.Contains("Compar");

    /// <summary>The static member that a write changes: the member itself, or what it holds; null if none.</summary>
    public static ISymbol? Written(IOperation target) => target switch
    {
        IPropertyReferenceOperation { Property: { IsStatic: true } property } when ImmortalTypes.FullName(
            property.ContainingType) == "System.Console" => null,
        IPropertyReferenceOperation { Property: { IsStatic: true } property } => property,
        _ when IsAmbient((target as IMemberReferenceOperation)?.Instance?.Type) => null, // It has a rule of its own.
        _ => Root(target),
    };

    /// <summary>
    /// The static member that a call changes: the collection that it is made on, or what it takes by reference; null if none.
    /// </summary>
    public static ISymbol? Changed(IInvocationOperation call)
    {
        if (IsChange(call.TargetMethod.Name) && call.Instance is { } receiver && IsCollection(receiver.Type) && Root(receiver) is { } root)
        {
            return root;
        }

        bool isOfArrays = call.TargetMethod.ContainingType is { SpecialType: SpecialType.System_Array }
            && call.TargetMethod.Name is "Sort" or "Fill" or "Clear" or "Reverse";
        foreach (IArgumentOperation argument in call.Arguments)
        {
            bool isChanged = argument.Parameter is { RefKind: RefKind.Ref or RefKind.Out }
                || (isOfArrays && argument.Parameter?.Ordinal == 0);
            if (isChanged && Root(argument.Value) is { } changed)
            {
                return changed;
            }
        }

        return null;
    }

    /// <summary>A member as an error text shows it.</summary>
    public static string Label(ISymbol member) => $"{member.ContainingType.Name}.{member.Name}";

    // Down to where the object comes from.
    private static ISymbol? Root(IOperation? expression)
    {
        for (IOperation? walk = expression; walk is not null;)
        {
            switch (walk)
            {
                case IFieldReferenceOperation { Field.IsStatic: true } field:
                    return field.Field.IsConst ? null : field.Field;
                case IPropertyReferenceOperation { Property: { IsStatic: true } property }:
                    return property.Locations.Any(static l => l.IsInSource) ? property : null;
                case IMemberReferenceOperation reference:
                    walk = reference.Instance;
                    break;
                case IArrayElementReferenceOperation element:
                    walk = element.ArrayReference;
                    break;
                case IConversionOperation conversion:
                    walk = conversion.Operand;
                    break;
                default:
                    return null;
            }
        }

        return null;
    }

    private static bool IsAmbient(ITypeSymbol? type) => type is { Name: "AsyncLocal" or "ThreadLocal" };
}
