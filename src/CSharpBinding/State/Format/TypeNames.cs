using System.Collections.Concurrent;
using System.Numerics;
using System.Reflection;
using System.Text;

namespace Ambrosia.Runtime;

/// <summary>Names of types: for people, and for looking up .NET's own.</summary>
internal static class TypeNames
{
    private static readonly Dictionary<Type, Primitive> s_primitives = new()
    {
        [typeof(bool)] = Primitive.Boolean,
        [typeof(byte)] = Primitive.Byte,
        [typeof(sbyte)] = Primitive.SByte,
        [typeof(short)] = Primitive.Int16,
        [typeof(ushort)] = Primitive.UInt16,
        [typeof(int)] = Primitive.Int32,
        [typeof(uint)] = Primitive.UInt32,
        [typeof(long)] = Primitive.Int64,
        [typeof(ulong)] = Primitive.UInt64,
        [typeof(char)] = Primitive.Char,
        [typeof(float)] = Primitive.Single,
        [typeof(double)] = Primitive.Double,
        [typeof(Half)] = Primitive.Half,
        [typeof(Int128)] = Primitive.Int128,
        [typeof(UInt128)] = Primitive.UInt128,
        [typeof(decimal)] = Primitive.Decimal,
        [typeof(Guid)] = Primitive.Guid,
        [typeof(DateTime)] = Primitive.DateTime,
        [typeof(DateTimeOffset)] = Primitive.DateTimeOffset,
        [typeof(TimeSpan)] = Primitive.TimeSpan,
        [typeof(DateOnly)] = Primitive.DateOnly,
        [typeof(TimeOnly)] = Primitive.TimeOnly,
        [typeof(Rune)] = Primitive.Rune,
        [typeof(Range)] = Primitive.Range,
        [typeof(Index)] = Primitive.Index,
        [typeof(BigInteger)] = Primitive.BigInteger,
        [typeof(Complex)] = Primitive.Complex,
        [typeof(CancellationToken)] = Primitive.CancellationToken,
        [typeof(string)] = Primitive.String,
        [typeof(object)] = Primitive.Object,
    };

    private static readonly ConcurrentDictionary<Assembly, bool> s_framework = new();

    private static readonly Dictionary<Primitive, Type> s_types = s_primitives.ToDictionary(pair => pair.Value, pair => pair.Key);

    private static readonly Dictionary<Type, string> s_keywords = new()
    {
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(char)] = "char",
        [typeof(decimal)] = "decimal",
        [typeof(double)] = "double",
        [typeof(float)] = "float",
        [typeof(int)] = "int",
        [typeof(long)] = "long",
        [typeof(object)] = "object",
        [typeof(string)] = "string",
    };

    // .NET moves types between its assemblies, so a saved name of .NET carries none; these are searched.
    private static readonly string[] s_frameworkAssemblies =
    [
        "System.Private.CoreLib", "System.Collections", "System.Collections.Immutable", "System.Linq", "System.Runtime",
        "System.Runtime.Numerics", "System.Private.Uri", "System.ObjectModel", "System.Net.Primitives", "System.Text.Json",
        "System.Net.Http",
    ];

    public static bool TryGetPrimitive(Type type, out Primitive primitive) => s_primitives.TryGetValue(type, out primitive);

    public static Type? TypeOf(Primitive primitive) => s_types.GetValueOrDefault(primitive);

    public static bool IsFramework(Assembly assembly) =>
        s_framework.GetOrAdd(assembly, static candidate => IsFramework(candidate.GetName()));

    /// <summary>True for .NET's own assemblies, which are signed: an application's may be called System.Something, too.</summary>
    public static bool IsFramework(AssemblyName assembly) => assembly.GetPublicKeyToken() is { Length: > 0 }
        && (assembly.Name is "mscorlib" or "netstandard" or "System"
            || assembly.Name!.StartsWith("System.", StringComparison.Ordinal)
            || assembly.Name.StartsWith("Microsoft.", StringComparison.Ordinal));

    /// <summary>True for assemblies that are neither .NET's nor this binding.</summary>
    public static bool IsUsers(Assembly assembly) => assembly != typeof(TypeNames).Assembly && !IsFramework(assembly);

    public static Type? FindFrameworkType(string fullName)
    {
        foreach (string assembly in s_frameworkAssemblies)
        {
            if (Type.GetType($"{Escape(fullName)}, {assembly}", throwOnError: false) is { } type && IsFramework(type.Assembly))
            {
                return type;
            }
        }
        return null;
    }

    /// <summary>As one writes it in C#, with the declaring types but without the namespace.</summary>
    public static string Display(Type type)
    {
        if (type.IsArray)
        {
            return $"{Display(type.GetElementType()!)}[{new string(',', type.GetArrayRank() - 1)}]";
        }
        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Display(underlying) + "?";
        }
        return s_keywords.TryGetValue(type, out string? keyword) ? keyword : Display(type, type.GetGenericArguments());
    }

    // A nested type repeats the arguments of its declaring type, whose own are only parameters.
    private static string Display(Type type, Type[] arguments)
    {
        if (type.IsGenericParameter || (type.IsNested && GeneratedName.IsGenerated(type)))
        {
            return type.Name;
        }
        string name = type.Name.Split('`')[0];
        int inherited = type.IsNested ? type.DeclaringType!.GetGenericArguments().Length : 0;
        if (arguments.Length > inherited)
        {
            name += $"<{string.Join(", ", arguments.Skip(inherited).Select(Display))}>";
        }
        return type.IsNested ? $"{Display(type.DeclaringType!, arguments[..inherited])}.{name}" : name;
    }

    private static string Escape(string name) =>
        name.Replace(",", "\\,", StringComparison.Ordinal).Replace("[", "\\[", StringComparison.Ordinal)
        .Replace("]", "\\]", StringComparison.Ordinal).Replace("&", "\\&", StringComparison.Ordinal)
        .Replace("*", "\\*", StringComparison.Ordinal);
}
