using System.Globalization;
using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Extract;

/// <summary>
/// What the methods of an interface take and return, as JSON for machines (docs/internals/shapes.md). It is read off the formatters, which
/// say exactly what stands in a message.
/// </summary>
internal sealed class ShapeText(FormatterResolver resolver)
{
    private const string Runtime = "global::Ambrosia.Serialization.";
    private const string Generated = "global::Ambrosia.Generated.";
    private const string Unknown = "any";

    private static readonly Dictionary<string, string> s_plain = new()
    {
        ["Boolean"] = "bool", ["Byte"] = "uint8", ["SByte"] = "int8", ["Int16"] = "int16", ["UInt16"] = "uint16", ["Int32"] = "int32",
        ["UInt32"] = "uint32", ["Int64"] = "int64", ["UInt64"] = "uint64", ["Int128"] = "int128", ["UInt128"] = "uint128",
        ["BigInteger"] = "integer", ["Half"] = "float16", ["Single"] = "float32", ["Double"] = "float64", ["Decimal"] = "decimal",
        ["Char"] = "char", ["Rune"] = "rune", ["String"] = "text", ["Uri"] = "uri", ["Version"] = "version", ["Guid"] = "uuid",
        ["ByteArray"] = "bytes", ["ByteMemory"] = "bytes", ["ByteReadOnlyMemory"] = "bytes", ["DateTime"] = "time",
        ["DateTimeOffset"] = "clock", ["DateOnly"] = "date", ["TimeOnly"] = "timeofday", ["TimeSpan"] = "span",
    };

    private readonly Dictionary<string, int> _numbers = [];
    private readonly List<string> _types = [];

    /// <summary>The shapes of an interface whose types were all resolved.</summary>
    public string Of(InterfaceModel model)
    {
        string[] methods = [.. model.Methods.Select(Method)];
        string encoding = model.IsJson ? ",\"encoding\":\"json\"" : "";
        return $"{{\"interface\":{ShapeJson.Quote(model.FullName)}{encoding},\"methods\":[{string.Join(",", methods)}],"
            + $"\"types\":[{string.Join(",", _types)}]}}";
    }

    /// <summary>The shape of one value: its type, and the types that this names.</summary>
    public string OfValue(string formatter)
    {
        string type = TypeOf(formatter);
        return $"\"type\":\"{type}\",\"types\":[{string.Join(",", _types)}]";
    }

    private string Method(MethodModel method)
    {
        string parameters = string.Join(",", method.Parameters.Select(parameter =>
            $"{{\"name\":{ShapeJson.Quote(parameter.Name)},\"type\":\"{TypeOf(parameter.Formatter)}\""
            + (parameter.JsonDefault is null ? "}" : $",\"default\":{parameter.JsonDefault}}}")));
        string flags = (method.IsImpulse ? ",\"impulse\":true" : "") + (method.IsQuery ? ",\"query\":true" : "");
        string result = method.ResultFormatter is null ? "" : $",\"result\":\"{TypeOf(method.ResultFormatter)}\"";
        return $"{{\"id\":{Number(method.Id)},\"name\":{ShapeJson.Quote(method.Name)}{flags},\"parameters\":[{parameters}]{result}}}";
    }

    private string TypeOf(string formatter)
    {
        if (formatter.StartsWith(Generated, StringComparison.Ordinal))
        {
            string name = formatter.Substring(Generated.Length);
            return Numbered(name, () => Describe(resolver.Generated.FirstOrDefault(model => model.Name == name)));
        }

        int open = formatter.IndexOf('<');
        string generic = Short(open < 0 ? formatter : formatter.Substring(0, open));
        if (open < 0)
        {
            return s_plain.TryGetValue(generic, out string plain) ? plain : Unknown;
        }

        string[] arguments = [.. Arguments(formatter.Substring(open + 1, formatter.Length - open - 2))];
        string[] formatters = [.. arguments.Skip(arguments.Length / 2)];
        return generic switch
        {
            "Enum" => Numbered(arguments[0], () => resolver.Enums.TryGetValue(arguments[0], out EnumShape shape)
                ? $"{{\"name\":{ShapeJson.Quote(shape.Name)},\"numbers\":\"{shape.Numbers}\",\"values\":{{{shape.Values}}}}}" : "{}"),
            "Library" => Unknown,
            "Nullable" or "Optional" => TypeOf(formatters[0]) + "?",
            "Dictionary" or "SortedDictionary" or "IDictionary" or "IReadOnlyDictionary" =>
                $"{{{TypeOf(formatters[0])}:{TypeOf(formatters[1])}}}",
            _ when generic == "KeyValuePair" || generic.StartsWith("ValueTuple", StringComparison.Ordinal) =>
                $"({string.Join(",", formatters.Select(TypeOf))})",
            _ => $"[{TypeOf(formatters[0])}]",
        };
    }

    // A type may hold itself, so its number stands before it is described.
    private string Numbered(string key, Func<string> describe)
    {
        if (!_numbers.TryGetValue(key, out int number))
        {
            number = _numbers[key] = _types.Count;
            _types.Add("");
            _types[number] = describe();
        }

        return "#" + Number(number);
    }

    private string Describe(FormatterModel? model)
    {
        string name = $"{{\"name\":{ShapeJson.Quote(model?.Label ?? "")}";
        return model switch
        {
            UnionModel union => $"{name},\"cases\":[{string.Join(",", union.Cases.Select(Case))}]}}",
            ObjectModel { IsArray: true } slots => $"{name},\"slots\":[{string.Join(",", slots.Members.Select(Member))}]}}",
            ObjectModel members => $"{name},\"members\":[{string.Join(",", members.Members.Select(Member))}]}}",
            _ => name + "}",
        };

        string Case(UnionCase each) => $"{{\"tag\":{Number(each.Tag)},\"type\":\"{TypeOf(each.Formatter)}\"}}";

        string Member(MemberModel member)
        {
            bool isNeeded = member.Assignment is MemberAssignment.Constructor or MemberAssignment.Required && member.Default is null;
            bool isSlot = model is ObjectModel { IsArray: true };
            return $"{{\"name\":{ShapeJson.Quote(isSlot ? member.Name : member.Key)},\"type\":\"{TypeOf(member.Formatter)}\""
                + (isSlot ? $",\"at\":{Number(member.Index)}" : "") + (isNeeded ? ",\"needed\":true}" : "}");
        }
    }

    private static string Short(string formatter) => formatter.StartsWith(Runtime, StringComparison.Ordinal)
        ? formatter.Substring(Runtime.Length, formatter.Length - Runtime.Length - "Formatter".Length) : "";

    // Arguments of a generic type as C# writes them: commas inside of others, of tuples and of arrays do not part them.
    private static IEnumerable<string> Arguments(string text)
    {
        int depth = 0;
        int start = 0;
        for (int i = 0; i < text.Length; i++)
        {
            depth += text[i] is '<' or '(' or '[' ? 1 : text[i] is '>' or ')' or ']' ? -1 : 0;
            if (text[i] == ',' && depth == 0)
            {
                yield return text.Substring(start, i - start).Trim();
                start = i + 1;
            }
        }

        yield return text.Substring(start).Trim();
    }

    private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);
}
