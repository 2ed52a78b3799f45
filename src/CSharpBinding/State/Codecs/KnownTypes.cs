using System.Reflection;

namespace Ambrosia.Runtime;

/// <summary>Which types of .NET can be part of a state, and what to use instead of those that cannot.</summary>
internal static class KnownTypes
{
    /// <summary>True for structs of .NET whose fields are public.</summary>
    public static bool IsFieldwiseStruct(Type type) =>
        type.IsValueType && type.FullName is { } name && name.StartsWith("System.ValueTuple", StringComparison.Ordinal);

    /// <summary>True for classes of .NET without any state, from which others may derive.</summary>
    public static bool IsFieldless(Type type)
    {
        for (Type? level = type; level is not null && level != typeof(object); level = level.BaseType)
        {
            if (level.GetFields(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly).Length > 0)
            {
                return false;
            }
        }
        return true;
    }

    /// <summary>True for what .NET's own exceptions may carry along.</summary>
    public static bool IsPlain(Type type) =>
        type == typeof(string) || type.IsEnum || type == typeof(Exception) || type == typeof(Exception[])
        || (type.IsValueType && type != typeof(CancellationToken) && TypeNames.TryGetPrimitive(type, out _));

    /// <summary>True for values that are complete by themselves, so that they have their hash code before anything else is read.</summary>
    public static bool IsLeaf(Type type) =>
        type == typeof(string) || type.IsEnum || (type.IsValueType && TypeNames.TryGetPrimitive(type, out _))
        || (Nullable.GetUnderlyingType(type) is { } inner && IsLeaf(inner))
        || (IsFieldwiseStruct(type) && Array.TrueForAll(type.GetGenericArguments(), IsLeaf));

    /// <summary>What to use instead of a class that cannot be state.</summary>
    public static string Advice(Type type)
    {
        string name = type.FullName ?? type.Name;
        return type switch
        {
            _ when typeof(Stream).IsAssignableFrom(type) || typeof(TextReader).IsAssignableFrom(type)
                || typeof(TextWriter).IsAssignableFrom(type) =>
                "keep it inside a method that does not await, or keep its content instead.",
            _ when typeof(Task).IsAssignableFrom(type) || name.StartsWith("System.Threading.Tasks.", StringComparison.Ordinal) =>
                "use a DurableTask.",
            _ when type == typeof(CancellationTokenSource) || type == typeof(CancellationTokenRegistration) => "use a DurableCancellation.",
            _ when typeof(Random).IsAssignableFrom(type) => "use the immortal's Random, which is the same on every replica.",
            _ when name.Contains("+Enumerator", StringComparison.Ordinal) || name.StartsWith("System.Linq.", StringComparison.Ordinal)
            || typeof(System.Collections.IEnumerator).IsAssignableFrom(type) =>
                "enumerate an array, a DurableList or a DurableDictionary where the loop awaits.",
            _ when name.StartsWith("System.Threading.", StringComparison.Ordinal) =>
                "an immortal runs one turn at a time and needs no threads, locks or timers.",
            _ => "keep what it stands for in fields of your own types, or mark the field [NotSaved].",
        };
    }
}
