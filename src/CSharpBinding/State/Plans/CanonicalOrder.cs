using System.Collections;

namespace Ambrosia.Runtime;

/// <summary>
/// Sorts the items of hash collections for the state hash: their order depends on removals, which a restored replica has not seen. Items
/// without an order of their own stay as they are.
/// </summary>
internal static class CanonicalOrder
{
    public static IEnumerable<TItem> Of<TItem>(IEnumerable<TItem> items)
    {
        Func<TItem, object?>? key = KeyOf<TItem>();
        return key is null ? items : items.OrderBy(key, Comparer<object?>.Create(Compare));
    }

    private static int Compare(object? left, object? right) =>
        left is string text ? string.CompareOrdinal(text, right as string) : Comparer.Default.Compare(left, right);

    private static Func<TItem, object?>? KeyOf<TItem>()
    {
        Type type = typeof(TItem);
        if (IsOrdered(type))
        {
            return static item => item;
        }
        if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(KeyValuePair<,>) && IsOrdered(type.GetGenericArguments()[0]))
        {
            System.Reflection.PropertyInfo key = type.GetProperty(nameof(KeyValuePair<int, int>.Key))!;
            return item => key.GetValue(item);
        }
        return null;
    }

    private static bool IsOrdered(Type type) =>
        type == typeof(string) || type.IsEnum || (TypeNames.TryGetPrimitive(type, out _) && typeof(IComparable).IsAssignableFrom(type));
}
