using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>
/// The types of .NET that the runtime can save. It saves them through their public members, so that it can be only these: all others are
/// refused at the first checkpoint. A test compares this list with the runtime's.
/// </summary>
internal static class PlatformTypes
{
    private const string Collections = "System.Collections.Generic.";
    private const string Immutable = "System.Collections.Immutable.";

    private static readonly HashSet<string> s_values =
    [
        "System.Boolean", "System.Byte", "System.SByte", "System.Int16", "System.UInt16", "System.Int32", "System.UInt32",
        "System.Int64", "System.UInt64", "System.Char", "System.Single", "System.Double", "System.Half", "System.Int128",
        "System.UInt128", "System.Decimal", "System.Guid", "System.DateTime", "System.DateTimeOffset", "System.TimeSpan",
        "System.DateOnly", "System.TimeOnly", "System.Text.Rune", "System.Range", "System.Index", "System.Numerics.BigInteger",
        "System.Numerics.Complex", "System.Threading.CancellationToken", "System.Nullable", "System.ValueTuple",
        Collections + "KeyValuePair", "System.ArraySegment", "System.Memory", "System.ReadOnlyMemory", Immutable + "ImmutableArray",
    ];

    private static readonly HashSet<string> s_classes =
    [
        "System.Object", "System.String", "System.Version", "System.Uri", "System.Text.StringBuilder",
        "System.Globalization.CultureInfo", "System.StringComparer", "System.Type", "System.Collections.BitArray", "System.Tuple",
        Collections + "List", Collections + "Queue", Collections + "Stack", Collections + "LinkedList", Collections + "HashSet",
        Collections + "Dictionary", Collections + "SortedSet", Collections + "SortedDictionary", Collections + "SortedList",
        Collections + "PriorityQueue", "System.Collections.ObjectModel.ReadOnlyCollection", Immutable + "ImmutableList",
        Immutable + "ImmutableStack", Immutable + "ImmutableQueue", Immutable + "ImmutableHashSet", Immutable + "ImmutableDictionary",
        Immutable + "ImmutableSortedSet", Immutable + "ImmutableSortedDictionary",
    ];

    // Known by their base class; .NET has derived ones of its own.
    private static readonly string[] s_families =
        ["System.Exception", "System.StringComparer", "System.Type", "System.Uri", "System.Globalization.CultureInfo"];

    /// <summary>Whether no value of the type can be saved. Of an interface or abstract class another class may be, so they may.</summary>
    public static bool IsUnsavable(ITypeSymbol type)
    {
        if (!IsOfPlatform(type))
        {
            return false;
        }

        return type.TypeKind switch
        {
            TypeKind.Struct => !s_values.Contains(ImmortalTypes.FullName(type)),
            TypeKind.Class =>
                !type.IsAbstract && !s_classes.Contains(ImmortalTypes.FullName(type))
                    && !s_families.Any(family => ImmortalTypes.DerivesFrom(type, family)),
            _ => false,
        };
    }

    /// <summary>The class of .NET that a class derives from, if it has a state that cannot be read.</summary>
    public static INamedTypeSymbol? BaseWithState(ITypeSymbol type)
    {
        INamedTypeSymbol? level = IsOfPlatform(type) ? null : type.BaseType;
        while (level is not null && !IsOfPlatform(level))
        {
            level = level.BaseType;
        }

        return level is not null && level.SpecialType != SpecialType.System_Object && s_classes.Contains(ImmortalTypes.FullName(level))
            && ImmortalTypes.FullName(level) is not ("System.StringComparer" or "System.Type") ? level : null;
    }

    // Signed: an application's assembly may be called System.Something, too.
    private static bool IsOfPlatform(ITypeSymbol type) => type.ContainingAssembly?.Identity is { PublicKeyToken.IsEmpty: false } identity
        && (identity.Name is "mscorlib" or "netstandard" or "System"
            || identity.Name.StartsWith("System.", StringComparison.Ordinal)
                || identity.Name.StartsWith("Microsoft.", StringComparison.Ordinal));
}
