using System.Reflection;
using System.Runtime.Serialization;
using MessagePack;

namespace Ambrosia.Serialization;

/// <summary>
/// Finds what the standard resolver of MessagePack-CSharp does not write, or does not set where it arrives, although its type means it to
/// travel. The analyzer sees the same in source; this sees types of other assemblies, and those that an app's resolver leaves.
/// </summary>
internal static class LostMember
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    /// <summary>The first such member and why, as the subject of a sentence; null if there is none.</summary>
    public static string? In(Type type)
    {
        if (type.GetCustomAttribute<MessagePackObjectAttribute>() is not { } marked
            || type.IsDefined(typeof(MessagePackFormatterAttribute)))
        {
            return null;
        }

        ParameterInfo[] fed = [.. type.GetConstructors(Declared)
            .Where(static made => made.IsPublic || made.IsDefined(typeof(SerializationConstructorAttribute)))
            .SelectMany(static made => made.GetParameters())];
        return LevelsOf(type).SelectMany(static level => level.GetMembers(Declared))
            .Where(static member =>
                !member.IsDefined(typeof(IgnoreMemberAttribute)) && !member.IsDefined(typeof(IgnoreDataMemberAttribute)))
            .Select(member => ReasonFor(member, marked.KeyAsPropertyName, fed) is { } reason
                ? $"{member.DeclaringType}.{member.Name} is to travel, but {reason}"
                : null)
            .FirstOrDefault(static loss => loss is not null);
    }

    private static IEnumerable<Type> LevelsOf(Type type)
    {
        for (Type? level = type; level is not null; level = level.BaseType)
        {
            yield return level;
        }
    }

    private static string? ReasonFor(MemberInfo member, bool byName, ParameterInfo[] fed)
    {
        KeyAttribute? key = member.GetCustomAttribute<KeyAttribute>();
        (bool isPublic, string? unset) = member switch
        {
            FieldInfo field => (field.IsPublic, field.IsInitOnly ? "it is readonly and no constructor takes it" : null),
            // Computed from others, it loses nothing.
            PropertyInfo { SetMethod: null } property when !HasField(property) => (true, null),
            PropertyInfo { SetMethod.IsPublic: true, GetMethod: var get } => (get is { IsPublic: true }, null),
            PropertyInfo property => (property.GetMethod is { IsPublic: true }, "it has no public setter and no constructor takes it"),
            _ => (false, null),
        };
        bool isMeant = key is not null || (byName && isPublic);
        return !isMeant ? null : !isPublic ? "it is not public" : unset is not null && !IsFed(member, key, fed) ? unset : null;
    }

    private static bool HasField(PropertyInfo property) =>
        property.DeclaringType!.GetField($"<{property.Name}>k__BackingField", Declared) is not null;

    private static bool IsFed(MemberInfo member, KeyAttribute? key, ParameterInfo[] fed)
    {
        Type type = member is FieldInfo field ? field.FieldType : ((PropertyInfo)member).PropertyType;
        return Array.Exists(fed, parameter => parameter.ParameterType == type
            && (parameter.Position == key?.IntKey || string.Equals(parameter.Name, member.Name, StringComparison.OrdinalIgnoreCase)));
    }
}
