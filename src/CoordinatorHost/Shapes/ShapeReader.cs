using System.Globalization;
using System.Numerics;
using System.Text.Json;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Reads what an app tells of its methods (docs/internals/shapes.md). The app is not trusted to be right.</summary>
internal sealed class ShapeReader
{
    private const int MaxDepth = 32; // Of a type that holds others: lists of lists.
    private const int MaxCount = 10_000; // Methods, and types.
    private readonly List<NamedShape> _types = [];

    private ShapeReader()
    {
    }

    /// <summary>The shapes that a text says.</summary>
    /// <exception cref="ShapeException">It says none.</exception>
    public static AppShape Read(string text)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(text);
            return new ShapeReader().ReadApp(document.RootElement);
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException or KeyNotFoundException or FormatException)
        {
            throw new ShapeException(error.Message);
        }
    }

    private AppShape ReadApp(JsonElement app)
    {
        JsonElement methods = app.GetProperty("methods");
        if (methods.GetArrayLength() > MaxCount)
        {
            throw new ShapeException($"more than {MaxCount} methods");
        }

        ReadTypes(app);
        return new AppShape(Text(app, "interface"), [.. methods.EnumerateArray().Select(ReadMethod)], _types)
        {
            Awakeables = ReadAwakeables(app),
        };
    }

    // Each has types of its own: they may come from other projects than the interface.
    private static Dictionary<uint, TypeShape> ReadAwakeables(JsonElement app)
    {
        var found = new Dictionary<uint, TypeShape>();
        if (!app.TryGetProperty("awakeables", out JsonElement awakeables))
        {
            return found;
        }

        if (awakeables.GetArrayLength() > MaxCount)
        {
            throw new ShapeException($"more than {MaxCount} types of awakeables");
        }

        foreach (JsonElement awakeable in awakeables.EnumerateArray())
        {
            var reader = new ShapeReader();
            reader.ReadTypes(awakeable);
            found[awakeable.GetProperty("id").GetUInt32()] = reader.TypeOf(Text(awakeable, "type"));
        }

        return found;
    }

    private void ReadTypes(JsonElement owner)
    {
        JsonElement types = owner.GetProperty("types");
        if (types.GetArrayLength() > MaxCount)
        {
            throw new ShapeException($"more than {MaxCount} types");
        }

        foreach (JsonElement type in types.EnumerateArray())
        {
            _types.Add(Begin(type, _types.Count));
        }

        int number = 0;
        foreach (JsonElement type in types.EnumerateArray())
        {
            Complete(_types[number++], type);
        }
    }

    private static NamedShape Begin(JsonElement type, int number)
    {
        string name = Text(type, "name");
        return type.TryGetProperty("values", out JsonElement values) ? ReadEnum(type, values, number, name)
            : type.TryGetProperty("cases", out _) ? new UnionShape(number, name)
            : new ObjectShape(number, name, type.TryGetProperty("slots", out _));
    }

    private static EnumShape ReadEnum(JsonElement type, JsonElement values, int number, string name) => new(
        number, name, KindOf(Text(type, "numbers")),
        [
            .. values.EnumerateObject().Select(static value => new KeyValuePair<string, BigInteger>(
                value.Name, value.Value.TryGetInt64(out long small) ? small : value.Value.GetUInt64())),
        ]);

    private void Complete(NamedShape shape, JsonElement type)
    {
        switch (shape)
        {
            case UnionShape union:
                union.Complete(
                [
                    .. type.GetProperty("cases").EnumerateArray()
                        .Select(each => new CaseShape(each.GetProperty("tag").GetInt32(), TypeOf(Text(each, "type")))),
                ]);
                break;
            case ObjectShape { IsArray: true } slots:
                MemberShape[] placed = [.. type.GetProperty("slots").EnumerateArray().Select(member => ReadMember(member, isSlot: true))];
                if (placed.Any(static member => member.At is < 0 or > 255)
                    || placed.DistinctBy(static member => member.At).Count() < placed.Length)
                {
                    throw new ShapeException($"positions of {shape.Name}");
                }

                slots.Complete([.. placed.OrderBy(static member => member.At)]);
                break;
            case ObjectShape members:
                members.Complete([.. type.GetProperty("members").EnumerateArray().Select(member => ReadMember(member, isSlot: false))]);
                break;
        }
    }

    private MemberShape ReadMember(JsonElement member, bool isSlot) => new(
        Text(member, "name"), TypeOf(Text(member, "type")), isSlot ? member.GetProperty("at").GetInt32() : 0, Flag(member, "needed"));

    private MethodShape ReadMethod(JsonElement method) => new(
        method.GetProperty("id").TryGetInt32(out int id) && id > 0 ? id : throw new ShapeException("a method's id that is reserved"),
        Text(method, "name"), Flag(method, "impulse"), Flag(method, "query"),
        [.. method.GetProperty("parameters").EnumerateArray().Select(ReadParameter)],
        method.TryGetProperty("result", out JsonElement result) ? TypeOf(result.GetString() ?? "") : null);

    private ParameterShape ReadParameter(JsonElement parameter)
    {
        TypeShape type = TypeOf(Text(parameter, "type"));
        return parameter.TryGetProperty("default", out JsonElement value)
            ? new ParameterShape(Text(parameter, "name"), type, JsonEncoder.Value(value, type), value.GetRawText())
            : new ParameterShape(Text(parameter, "name"), type, null, null);
    }

    private TypeShape TypeOf(string text)
    {
        int at = 0;
        TypeShape type = ReadType(text, ref at, 0);
        return at == text.Length ? type : throw new ShapeException($"type {text} does not end at {at}");
    }

    private TypeShape ReadType(string text, ref int at, int depth)
    {
        if (depth > MaxDepth || at >= text.Length)
        {
            throw new ShapeException($"type {text} is too deep, or ends too early");
        }

        TypeShape type;
        switch (text[at])
        {
            case '[':
                at++;
                type = new ListShape(ReadType(text, ref at, depth + 1));
                Expect(text, ref at, ']');
                break;
            case '{':
                at++;
                TypeShape key = ReadType(text, ref at, depth + 1);
                Expect(text, ref at, ':');
                type = new MapShape(key, ReadType(text, ref at, depth + 1));
                Expect(text, ref at, '}');
                break;
            case '(':
                type = ReadTuple(text, ref at, depth);
                break;
            default:
                type = ReadWord(text, ref at);
                break;
        }

        while (at < text.Length && text[at] == '?')
        {
            at++;
            type = type is OptionalShape ? type : new OptionalShape(type);
        }

        return type;
    }

    private TupleShape ReadTuple(string text, ref int at, int depth)
    {
        var items = new List<TypeShape>();
        do
        {
            at++;
            items.Add(ReadType(text, ref at, depth + 1));
        }
        while (at < text.Length && text[at] == ',');

        Expect(text, ref at, ')');
        return new TupleShape(items);
    }

    private TypeShape ReadWord(string text, ref int at)
    {
        int start = at;
        while (at < text.Length && (char.IsAsciiLetterOrDigit(text[at]) || text[at] == '#'))
        {
            at++;
        }

        string word = text[start..at];
        if (!word.StartsWith('#'))
        {
            return new ScalarShape(KindOf(word));
        }

        return int.TryParse(word.AsSpan(1), NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number < _types.Count
            ? _types[number] : throw new ShapeException($"type {word} is not described");
    }

    private static ScalarKind KindOf(string word) =>
        Enum.TryParse(word, ignoreCase: true, out ScalarKind kind) && char.IsAsciiLetter(word[0])
        ? kind : throw new ShapeException($"unknown type {word}");

    private static void Expect(string text, ref int at, char expected)
    {
        if (at >= text.Length || text[at] != expected)
        {
            throw new ShapeException($"type {text} has no {expected} at {at}");
        }

        at++;
    }

    private static string Text(JsonElement element, string name) => element.GetProperty(name).GetString() ?? "";

    private static bool Flag(JsonElement element, string name) =>
        element.TryGetProperty(name, out JsonElement value) && value.ValueKind == JsonValueKind.True;
}
