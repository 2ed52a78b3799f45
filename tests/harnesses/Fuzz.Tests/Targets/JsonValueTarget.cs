using System.Text;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Fuzz.Tests.Engine;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>
/// Arguments from JSON, and results to JSON. The first byte says which, the second of which type. What became bytes becomes JSON that
/// becomes the same bytes; and no bytes make an answer fail.
/// </summary>
internal sealed class JsonValueTarget : FuzzTarget
{
    public const string Shapes = """
        {"interface":"Shop.IShop","methods":[
        {"id":7,"name":"Order","parameters":[{"name":"order","type":"#0"},{"name":"note","type":"text?","default":null},{"name":"count","type":"int32","default":3}],"result":"#0"}],
        "types":[
        {"name":"Order","members":[{"name":"Lines","type":"[#1]","needed":true},{"name":"Pay","type":"#2?"},{"name":"Tags","type":"{text:int32}"}]},
        {"name":"Line","members":[{"name":"Item","type":"text","needed":true},{"name":"Price","type":"decimal"},{"name":"Size","type":"#5"},{"name":"Next","type":"#1?"}]},
        {"name":"Payment","cases":[{"tag":1,"type":"#3"},{"tag":2,"type":"#4"},{"tag":3,"type":"int64"},{"tag":4,"type":"#2"}]},
        {"name":"Card","members":[{"name":"Number","type":"text","needed":true}]},
        {"name":"Cash","slots":[{"name":"Coins","type":"int32","at":0},{"name":"Notes","type":"int32?","at":2},{"name":"Currency","type":"text","at":3}]},
        {"name":"Size","numbers":"uint8","values":{"Small":1,"Large":2,"Round":4}}]}
        """;

    private const string Types =
        "any|bool|int8|int16|int32|int64|uint8|uint16|uint32|uint64|int128|uint128|integer|float16|float32|float64|decimal|char|rune|text|"
        + "uri|version|uuid|bytes|time|clock|"
        + "date|timeofday|span|#0|#1|#2|#3|#4|#5|[int32?]|{int64:text}|{#5:bool}|{bool:#2}|{(int32,text):bool}|(int32,text,clock)|"
        + "{float64:span?}|{decimal:date}|{rune:[char]}";

    private static readonly AppShape s_app = ShapeReader.Read(Shapes);

    // The types of a method's parameters: one for each.
    private static readonly TypeShape[] s_types =
    [
        .. ShapeReader.Read(Shapes.Replace(
            "{\"id\":7,",
            $$"""{"id":1,"name":"Types","parameters":[{{string.Join(',', Types.Split('|').Select(static type => $$"""{"name":"p","type":"{{type}}"}"""))}}]},{"id":7,""",
            StringComparison.Ordinal)).Methods[0].Parameters.Select(static parameter => parameter.Type),
    ];

    public override string Name => "json-values";

    public override int Weight => 10;

    public override int Largest => 700;

    public override long AllocationBase => 256 * 1024;

    public override int AllocationFactor => 4096;

    public override IReadOnlyList<byte[]> Words =>
    [
        .. """
            {"|":|}|[|]|,|"|"$type"|"value"|"Card"|"Cash"|"Lines"|"Item"|"Price"|"Size"|"Small, Large"|null|true|false|-|0|1e3|1e999|-0|0.1|9007199254740993|-9223372036854775808|18446744073709551615|170141183460469231731687303715884105727|79228162514264337593543950335|"NaN"|"-Infinity"|"\ud83d\ude00"|"\ud800"|"\u0000"|"2026-11-26T17:30:00Z"|"0001-01-01T00:00:00+14:00"|"9999-12-31T23:59:59.9999999"|"-P10675199DT2H48M5.4775808S"|"PT1H30M"|"01:30:00"|"23:59:59.9999999"|"0f8fad5b-d9cb-469f-a165-70867728950e"|"AQID"|"1.2.3"
            """.Trim().Split('|').Select(Encoding.UTF8.GetBytes),
        .. ("c0|c2|cf|d3|d3 80 00 00 00 00 00 00 00|ca|cb 7f f8 00 00 00 00 00 00|d6 ff|d7 ff|c7 0c ff|"
            + "dc|dd ff ff ff ff|df|c4 10|81|92|91|a1|d9").Split('|')
            .Select(static hex => Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal))),
    ];

    public override IEnumerable<byte[]> Seeds()
    {
        string[] texts =
        [
            """{"lines":[{"item":"a","price":1.50,"size":"Small","next":{"item":"b"}}],"pay":{"$type":"Cash","Coins":5},"tags":{"a":1}}""",
            "1", "\"2026-11-26T17:30:00+01:00\"", "\"PT1.5S\"", "{\"-1\":\"x\"}", "[1,\"a\",\"0001-01-01T00:00:00Z\"]",
            "[[[1,\"a\"],true]]", "{\"$type\":4,\"value\":{\"$type\":\"3\",\"value\":1}}",
        ];
        for (int type = 0; type < s_types.Length; type++)
        {
            foreach (string text in texts)
            {
                yield return [0, (byte)type, .. Encoding.UTF8.GetBytes(text)];
            }

            yield return [1, (byte)type, 0x92, 0xd6, 0xff, 0, 0, 0, 1, 0xd1, 0xff, 0x6a];
            yield return [1, (byte)type, 0x81, 0xa5, .. "Lines"u8, 0x91, 0x81, 0xa4, .. "Item"u8, 0xa1, 0x78];
            yield return [1, (byte)type, .. Enumerable.Repeat((byte)0x91, 64), 0x90];
            yield return [1, (byte)type, 0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0];
            yield return [1, (byte)type, .. "{\"a\":[1,\"\\ud800\"]}"u8];
        }
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        if (input.Length < 2)
        {
            return "too short";
        }

        TypeShape type = s_types[input.Span[1] % s_types.Length];
        return (input.Span[0] & 1) == 0 ? Encode(input[2..], type) : Decode(input.Span[2..], type);
    }

    /// <summary>The arguments that a body becomes; null if it is refused.</summary>
    public static byte[]? TryArguments(string body, MethodShape method)
    {
        using JsonDocument document = JsonDocument.Parse(body);
        try
        {
            return JsonEncoder.Arguments(document.RootElement, method);
        }
        catch (JsonValueException)
        {
            return null;
        }
    }

    private static string Encode(ReadOnlyMemory<byte> text, TypeShape type)
    {
        byte[]? bytes = TryValue(text, type, out string outcome);
        if (bytes is not null && !HoldsAnything(type))
        {
            byte[] json = JsonDecoder.Value(bytes, type);
            Require(TryValue(json, type, out string reason)?.AsSpan().SequenceEqual(bytes) == true,
                $"what a value became is told so that it becomes the same: {Encoding.UTF8.GetString(json)}, {reason}");
        }

        TryArguments("""{"order":{"lines":[]}}""", s_app.Methods[0]);
        return outcome;
    }

    private static byte[]? TryValue(ReadOnlyMemory<byte> text, TypeShape type, out string outcome)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(text, new JsonDocumentOptions { MaxDepth = 64 });
            outcome = Accepted;
            return JsonEncoder.Value(document.RootElement, type);
        }
        catch (JsonException)
        {
            outcome = "no JSON";
        }
        catch (JsonValueException)
        {
            outcome = "refused";
        }
        catch (InvalidOperationException)
        {
            outcome = "half a character"; // As the address says.
        }

        return null;
    }

    private static string Decode(ReadOnlySpan<byte> bytes, TypeShape type)
    {
        byte[] json = JsonDecoder.Value(bytes, type);
        using JsonDocument document = JsonDocument.Parse(json, new JsonDocumentOptions { MaxDepth = 4 * JsonDecoder.MaxDepth });
        HandlerException.Read(bytes);
        return document.RootElement.ValueKind == JsonValueKind.Object && document.RootElement.TryGetProperty("base64", out _)
            ? "told as bytes" : "told";
    }

    // What is of any type may be told by another kind of JSON than it came as.
    private static bool HoldsAnything(TypeShape type) => type is ScalarShape { Kind: ScalarKind.Any };
}
