namespace Ambrosia.CodeGen.Extract;

/// <summary>The types that the runtime has formatters for.</summary>
internal static class KnownFormatters
{
    private const string Space = "global::Ambrosia.Serialization.";

    private static readonly Dictionary<string, string> s_plain = new()
    {
        ["System.Boolean"] = "Boolean", ["System.Byte"] = "Byte", ["System.SByte"] = "SByte", ["System.Int16"] = "Int16",
        ["System.UInt16"] = "UInt16", ["System.Int32"] = "Int32", ["System.UInt32"] = "UInt32", ["System.Int64"] = "Int64",
        ["System.UInt64"] = "UInt64", ["System.Int128"] = "Int128", ["System.UInt128"] = "UInt128", ["System.Half"] = "Half",
        ["System.Single"] = "Single", ["System.Double"] = "Double", ["System.Decimal"] = "Decimal", ["System.Char"] = "Char",
        ["System.String"] = "String", ["System.Guid"] = "Guid", ["System.DateTime"] = "DateTime",
            ["System.DateTimeOffset"] = "DateTimeOffset",
        ["System.DateOnly"] = "DateOnly", ["System.TimeOnly"] = "TimeOnly", ["System.TimeSpan"] = "TimeSpan", ["System.Uri"] = "Uri",
        ["System.Version"] = "Version", ["System.Numerics.BigInteger"] = "BigInteger", ["System.Text.Rune"] = "Rune",
    };

    private static readonly Dictionary<string, string> s_generic = new()
    {
        ["System.Collections.Generic.List`1"] = "List", ["System.Collections.Generic.HashSet`1"] = "HashSet",
        ["System.Collections.Generic.Queue`1"] = "Queue", ["System.Collections.Generic.IList`1"] = "IList",
        ["System.Collections.Generic.ICollection`1"] = "ICollection", ["System.Collections.Generic.IEnumerable`1"] = "IEnumerable",
        ["System.Collections.Generic.IReadOnlyList`1"] = "IReadOnlyList",
            ["System.Collections.Generic.IReadOnlyCollection`1"] = "IReadOnlyCollection",
        ["System.Collections.Generic.ISet`1"] = "ISet", ["System.Collections.Generic.IReadOnlySet`1"] = "IReadOnlySet",
        ["System.Collections.Immutable.ImmutableArray`1"] = "ImmutableArray",
        ["System.Collections.Generic.Dictionary`2"] = "Dictionary", ["System.Collections.Generic.SortedDictionary`2"] = "SortedDictionary",
        ["System.Collections.Generic.IDictionary`2"] = "IDictionary",
        ["System.Collections.Generic.IReadOnlyDictionary`2"] = "IReadOnlyDictionary",
            ["System.Collections.Generic.KeyValuePair`2"] = "KeyValuePair",
        ["System.ValueTuple`1"] = "ValueTuple1", ["System.ValueTuple`2"] = "ValueTuple2", ["System.ValueTuple`3"] = "ValueTuple3",
        ["System.ValueTuple`4"] = "ValueTuple4", ["System.ValueTuple`5"] = "ValueTuple5", ["System.ValueTuple`6"] = "ValueTuple6",
        ["System.ValueTuple`7"] = "ValueTuple7",
    };

    /// <summary>The formatter of a type without type arguments, as C#; null if there is none.</summary>
    public static string? Plain(string metadataName) =>
        s_plain.TryGetValue(metadataName, out string name) ? Space + name + "Formatter" : null;

    /// <summary>The formatter of a generic type, as C# without its type arguments; null if there is none.</summary>
    public static string? Generic(string metadataName) =>
        s_generic.TryGetValue(metadataName, out string name) ? Space + name + "Formatter" : null;

    /// <summary>A formatter with its type arguments: first the types, then their formatters.</summary>
    public static string Make(string name, params string[] arguments) =>
        (name.StartsWith("global::", StringComparison.Ordinal) ? name : Space + name) + "<" + string.Join(", ", arguments) + ">";

    /// <summary>A formatter by its short name, as C#.</summary>
    public static string Named(string name) => Space + name + "Formatter";
}
