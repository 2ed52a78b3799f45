using System.Reflection;

namespace Ambrosia.Runtime;

/// <summary>Says where in an immortal's state something hangs, in the words of its author.</summary>
internal static class StatePath
{
    /// <summary>Such as <c>Bank.Deposit: local 's'</c> or <c>Account: field 'stream'</c>.</summary>
    public static string Of(FieldInfo field) => $"{Owner(field.DeclaringType!)}: {GeneratedName.DescribeField(field)}";

    /// <summary>Where <paramref name="holder"/> refers to <paramref name="value"/>.</summary>
    public static string Of(object holder, object value) =>
        Find(holder, value, depth: 0) ?? $"An item of a {TypeNames.Display(holder.GetType())}";

    /// <summary>The class of a type, or class and method of one that the compiler made for a method.</summary>
    public static string Owner(Type type)
    {
        if (!type.IsNested || !GeneratedName.IsGenerated(type))
        {
            return TypeNames.Display(type);
        }
        Type owner = type.DeclaringType!;
        string method = GeneratedName.MethodOf(type.Name);
        while (owner.IsNested && GeneratedName.IsGenerated(owner))
        {
            owner = owner.DeclaringType!;
        }
        return method.Length > 0 ? $"{TypeNames.Display(owner)}.{method}" : TypeNames.Display(owner);
    }

    private static string? Find(object holder, object value, int depth)
    {
        foreach (FieldInfo field in Fields(holder.GetType()))
        {
            object? found = field.GetValue(holder);
            if (ReferenceEquals(found, value))
            {
                return Of(field);
            }
            if (found is not null && field.FieldType.IsValueType && !field.FieldType.IsPrimitive && depth < 8
                && Find(found, value, depth + 1) is { } inner)
            {
                return inner;
            }
        }
        return null;
    }

    private static IEnumerable<FieldInfo> Fields(Type? type)
    {
        for (; type is not null && type != typeof(object); type = type.BaseType)
        {
            foreach (FieldInfo field in type.GetFields(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            {
                yield return field;
            }
        }
    }
}
