using System.Reflection;
using System.Runtime.Serialization;

namespace Ambrosia.Builds;

/// <summary>
/// The fields of an immortal's class, and of the application's classes that they are declared with: what a saved state can hold.
/// </summary>
internal static class StateShape
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    /// <summary>One line for each field, in an order that does not depend on that of the source.</summary>
    public static string Of(Type immortal, IReadOnlyList<Assembly> own)
    {
        var lines = new SortedSet<string>(StringComparer.Ordinal);
        var seen = new HashSet<Type>();
        Add(immortal);
        return string.Join('\n', lines);

        void Add(Type type)
        {
            if (type.HasElementType)
            {
                Add(type.GetElementType()!);
                return;
            }

            foreach (Type argument in type.GetGenericArguments())
            {
                Add(argument);
            }

            if (type.IsEnum || !own.Contains(type.Assembly) || !seen.Add(type.IsGenericType ? type.GetGenericTypeDefinition() : type))
            {
                return;
            }

            for (Type? level = type; level is not null && own.Contains(level.Assembly); level = level.BaseType)
            {
                foreach (FieldInfo field in level.GetFields(Declared))
                {
                    string name = field.GetCustomAttribute<DataMemberAttribute>()?.Name ?? field.Name;
                    string kind = field.IsDefined(typeof(NotSavedAttribute), inherit: false) ? "not saved " : "";
                    lines.Add($"{WireTypes.NameOf(type)} {kind}{name} {WireTypes.NameOf(field.FieldType)}");
                    Add(field.FieldType);
                }
            }
        }
    }
}
