using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>What a handler with [Query] may not do, as far as its own lines show it; the rest is refused when it runs.</summary>
internal static class QueryRules
{
    /// <summary>Reports what is sent, and what would change the immortal's life.</summary>
    public static void CheckCall(IInvocationOperation call, ISymbol member, HandlerScope scope)
    {
        IMethodSymbol target = call.TargetMethod;
        bool sends = ImmortalTypes.IsProxy(target.ContainingType) && target.MethodKind == MethodKind.Ordinary;
        if (ImmortalTypes.IsQuery(member) && (sends || (target.Name is "Delay" or "TakeCheckpoint" or "Effects"
            && ImmortalTypes.FullName(target.ContainingType) == "Ambrosia.Immortal")))
        {
            scope.Add(member, Diagnostic.Create(HandlerRules.QuerySends, call.Syntax.GetLocation(), member.Name, $"calls {target.Name}"));
        }
    }

    /// <summary>Reports a wait.</summary>
    public static void CheckAwait(IAwaitOperation wait, ISymbol member, HandlerScope scope)
    {
        if (ImmortalTypes.IsQuery(member))
        {
            scope.Add(member, Diagnostic.Create(HandlerRules.QuerySends, wait.Syntax.GetLocation(), member.Name, "awaits"));
        }
    }

    /// <summary>Reports a field, property or element of the immortal that is written.</summary>
    public static void CheckWrite(IOperation target, ISymbol member, HandlerScope scope)
    {
        if (ImmortalTypes.IsQuery(member) && Written(target) is { } name)
        {
            scope.Add(member, Diagnostic.Create(HandlerRules.QueryWrites, target.Syntax.GetLocation(), member.Name, name));
        }
    }

    // Down to where the object comes from: what a local holds may be a copy.
    private static string? Written(IOperation target)
    {
        for (IOperation? walk = target; walk is not null;)
        {
            switch (walk)
            {
                case IFieldReferenceOperation { Field.IsStatic: false } field when IsOwn(field.Instance):
                    return field.Field.Name;
                case IPropertyReferenceOperation { Property.IsStatic: false } property when IsOwn(property.Instance):
                    return property.Property.Name;
                case IMemberReferenceOperation reference:
                    walk = reference.Instance;
                    break;
                case IArrayElementReferenceOperation element:
                    walk = element.ArrayReference;
                    break;
                default:
                    return null;
            }
        }

        return null;
    }

    // An object that is just being initialized is none of the immortal's.
    private static bool IsOwn(IOperation? instance) =>
        instance is IInstanceReferenceOperation { ReferenceKind: InstanceReferenceKind.ContainingTypeInstance };
}
