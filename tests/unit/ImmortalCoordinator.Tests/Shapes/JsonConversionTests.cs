using System.Text;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.ImmortalCoordinator.Tests.Shapes;

/// <summary>JSON becomes arguments, and results JSON: exactly, or not at all (docs/internals/shapes.md).</summary>
public sealed class JsonConversionTests
{
    private const string Types = """
        [
        {"name":"Order","members":[{"name":"Lines","type":"[#1]","needed":true},{"name":"Pay","type":"#2?"},{"name":"Tags","type":"{text:int32}"}]},
        {"name":"Line","members":[{"name":"Item","type":"text","needed":true},{"name":"Price","type":"decimal"},{"name":"Size","type":"#5"}]},
        {"name":"Payment","cases":[{"tag":1,"type":"#3"},{"tag":2,"type":"#4"},{"tag":3,"type":"any"}]},
        {"name":"Card","members":[{"name":"Number","type":"text","needed":true}]},
        {"name":"Cash","slots":[{"name":"Coins","type":"int32","at":0},{"name":"Notes","type":"int32?","at":2},{"name":"Currency","type":"text","at":3}]},
        {"name":"Size","numbers":"uint8","values":{"Small":1,"Large":2,"Round":4}},
        {"name":"Cased","members":[{"name":"a","type":"int32"},{"name":"A","type":"int32"}]}]
        """;

    private static readonly AppShape s_app = ShapeReader.Read($$"""
        {"interface":"Shop.IShop","methods":[
        {"id":7,"name":"Order","parameters":[{"name":"order","type":"#0"},{"name":"note","type":"text?","default":null},{"name":"count","type":"int32","default":3}],"result":"#0"}],
        "types":{{Types}}}
        """);

    [Fact] // Each name of an enum is looked for in each part.
    public void A_text_of_names_without_end_is_refused_at_once()
    {
        using JsonDocument document = JsonDocument.Parse($"\"{string.Join(',', Enumerable.Repeat("Small", 200_000))}\"");
        Assert.Throws<JsonValueException>(() => JsonEncoder.Value(document.RootElement, TypeOf("#5")));
    }

    [Theory]
    [InlineData("bool", "true", "c3", "true")]
    [InlineData("int8", "-128", "d080", "-128")]
    [InlineData("uint8", "255", "ccff", "255")]
    [InlineData("int32", "1.0", "01", "1")]
    [InlineData("int32", "1e3", "cd03e8", "1000")]
    [InlineData("int32", "\"17\"", "11", "17")]
    [InlineData("int64", "9007199254740991", "cf001fffffffffffff", "9007199254740991")]
    [InlineData("int64", "9007199254740993", "cf0020000000000001", "\"9007199254740993\"")]
    [InlineData("int64", "\"-9223372036854775808\"", "d38000000000000000", "\"-9223372036854775808\"")]
    [InlineData("uint64", "18446744073709551615", "cfffffffffffffffff", "\"18446744073709551615\"")]
    [InlineData("int128", "-1", "c410ffffffffffffffffffffffffffffffff", "-1")]
    [InlineData("integer", "256", "c4020001", "256")]
    [InlineData("float32", "0.1", "ca3dcccccd", "0.1")]
    [InlineData("float64", "0.1", "cb3fb999999999999a", "0.1")]
    [InlineData("float64", "\"NaN\"", "cbfff8000000000000", "\"NaN\"")]
    [InlineData("float64", "\"-Infinity\"", "cbfff0000000000000", "\"-Infinity\"")]
    [InlineData("decimal", "12.50", "a531322e3530", "\"12.50\"")]
    [InlineData("decimal", "\"0.1000\"", "a6302e31303030", "\"0.1000\"")]
    [InlineData("decimal", "79228162514264337593543950335", "bd3739323238313632353134323634333337353933353433393530333335",
        "\"79228162514264337593543950335\"")]
    [InlineData("char", "\"é\"", "cce9", "\"é\"")]
    [InlineData("rune", "\"😀\"", "ce0001f600", "\"\\uD83D\\uDE00\"")]
    [InlineData("text", "\"a\\u0000b+<\"", "a561 0062 2b3c", "\"a\\u0000b+<\"")]
    [InlineData("uuid", "\"0F8FAD5B-D9CB-469F-A165-70867728950E\"",
        "d92430663866616435622d643963622d343639662d613136352d373038363737323839353065", "\"0f8fad5b-d9cb-469f-a165-70867728950e\"")]
    [InlineData("bytes", "\"AQID\"", "c403010203", "\"AQID\"")]
    [InlineData("time", "\"1970-01-01T00:00:01Z\"", "d6ff00000001", "\"1970-01-01T00:00:01Z\"")]
    [InlineData("time", "\"1970-01-01T01:00:01.5+01:00\"", "d7ff7735940000000001", "\"1970-01-01T00:00:01.5Z\"")]
    [InlineData("time", "\"1969-12-31T23:59:59\"", "c70cff00000000ffffffffffffffff", "\"1969-12-31T23:59:59Z\"")]
    [InlineData("clock", "\"1970-01-01T00:00:01-02:30\"", "92d6ff00000001d1ff6a", "\"1970-01-01T00:00:01-02:30\"")]
    [InlineData("date", "\"0001-01-02\"", "01", "\"0001-01-02\"")]
    [InlineData("timeofday", "\"00:00:00.0000001\"", "01", "\"00:00:00.0000001\"")]
    [InlineData("span", "\"PT1.5S\"", "ce00e4e1c0", "\"PT1.5S\"")]
    [InlineData("span", "\"-00:00:01\"", "d2ff676980", "\"-PT1S\"")]
    [InlineData("[int32?]", "[1,null]", "9201c0", "[1,null]")]
    [InlineData("{uuid:bool}", "{\"0f8fad5b-d9cb-469f-a165-70867728950e\":true}",
        "81d92430663866616435622d643963622d343639662d613136352d373038363737323839353065c3",
        "{\"0f8fad5b-d9cb-469f-a165-70867728950e\":true}")]
    [InlineData("{int64:text}", "{\"-1\":\"x\",\"9007199254740993\":\"y\"}", "82ffa178cf0020000000000001a179",
        "{\"-1\":\"x\",\"9007199254740993\":\"y\"}")]
    [InlineData("{#5:bool}", "{\"Large\":true}", "8102c3", "{\"Large\":true}")]
    [InlineData("{float64:bool}", "{\"1.5\":true,\"-2e3\":false,\"NaN\":true}",
        "83cb3ff8000000000000c3cbc09f400000000000c2cbfff8000000000000c3", "{\"1.5\":true,\"-2000\":false,\"NaN\":true}")]
    [InlineData("{float32:bool}", "{\"0.1\":true}", "81ca3dcccccdc3", "{\"0.1\":true}")]
    [InlineData("{bool:int32}", "{\"true\":1}", "81c301", "{\"true\":1}")]
    [InlineData("{(int32,text):bool}", "[[[1,\"a\"],true]]", "819201a161c3", "[[[1,\"a\"],true]]")]
    [InlineData("(int32,text)", "[1,\"a\"]", "9201a161", "[1,\"a\"]")]
    [InlineData("#5", "\"Large\"", "02", "\"Large\"")]
    [InlineData("#5", "\"small, round\"", "05", "5")]
    [InlineData("#5", "200", "ccc8", "200")]
    [InlineData("#2", "{\"Number\":\"1\",\"$type\":\"Card\"}", "920181a64e756d626572a131", "{\"$type\":\"Card\",\"Number\":\"1\"}")]
    [InlineData("#2", "{\"$type\":\"Cash\",\"coins\":5}", "92029105", "{\"$type\":\"Cash\",\"Coins\":5}")]
    [InlineData("#2", "{\"$type\":2,\"Coins\":5,\"Currency\":\"EUR\"}", "92029405c0c0a3455552",
        "{\"$type\":\"Cash\",\"Coins\":5,\"Notes\":null,\"Currency\":\"EUR\"}")]
    [InlineData("#2", "{\"$type\":\"3\",\"value\":{\"x\":[1.5,\"y\",null]}}", "920381a17893cb3ff8000000000000a179c0",
        "{\"$type\":\"3\",\"value\":{\"x\":[1.5,\"y\",null]}}")]
    [InlineData("#6", "{\"a\":1,\"A\":2}", "82a16101a14102", "{\"a\":1,\"A\":2}")]
    public void A_value_becomes_the_bytes_of_its_type_and_comes_back(string type, string json, string hex, string back)
    {
        TypeShape shape = TypeOf(type);
        using JsonDocument document = JsonDocument.Parse(json);
        byte[] bytes = JsonEncoder.Value(document.RootElement, shape);
        Assert.Equal(hex.Replace(" ", "", StringComparison.Ordinal), Hex(bytes));
        Assert.Equal(back, Encoding.UTF8.GetString(JsonDecoder.Value(bytes, shape)));
    }

    [Theory]
    [InlineData("""{"order":{"lines":[{"item":"a"},{"item":"b"},{"item":"c","price":"1,5"}]}}""",
        "$.order.lines[2].price: a decimal belongs here, of at most 28 digits")]
    [InlineData("""{"order":{"lines":[{"item":"a","price":0.12345678901234567890123456789}]}}""",
        "$.order.lines[0].price: a decimal belongs here, of at most 28 digits")]
    [InlineData("""{"order":{"lines":[{"price":1}]}}""", "$.order.Lines[0].Item: Line needs it")]
    [InlineData("""{"order":{"lines":[{"item":1}]}}""", "$.order.lines[0].item: text belongs here, not a number")]
    [InlineData("""{"order":{"lines":[{"item":"a","price":true}]}}""",
        "$.order.lines[0].price: a decimal belongs here, of at most 28 digits, not a truth value")]
    [InlineData("""{"order":{"lines":[{"item":"a","size":[1]}]}}""",
        "$.order.lines[0].size: one of Small, Large, Round belongs here, not an array")]
    [InlineData("""{"order":{"lines":[{"item":null}]}}""", "$.order.lines[0].item: null is not allowed here")]
    [InlineData("""{"order":{"lines":[{"item":"a","colour":1}]}}""",
        "$.order.lines[0].colour: Line has no such member; it has Item, Price, Size")]
    [InlineData("""{"order":{"lines":[{"item":"a","Item":"b"}]}}""", "$.order.lines[0].Item: it stands there twice")]
    [InlineData("""{"order":{"lines":[{"item":"a","size":"Tiny"}]}}""", "$.order.lines[0].size: Tiny is none of Small, Large, Round")]
    [InlineData("""{"order":{"lines":[{"item":"a","size":300}]}}""", "$.order.lines[0].size: 300 is out of range: 0 to 255")]
    [InlineData("""{"order":{"lines":[],"pay":{"$type":"3","value":1,"valeu":2}}}""",
        "$.order.pay.valeu: only \"$type\" and \"value\" belong here, each once")]
    [InlineData("""{"order":{"lines":[],"pay":{"$type":"3","value":1,"value":2}}}""",
        "$.order.pay.value: only \"$type\" and \"value\" belong here, each once")]
    [InlineData("""{"order":{"lines":[],"pay":{"$type":"3"}}}""", "$.order.pay.value: it is missing")]
    [InlineData("""{"order":{"lines":{}}}""", "$.order.lines: an array belongs here, not an object")]
    [InlineData("""{"order":{"lines":[],"tags":{"a":1,"a":2}}}""", "$.order.tags.a: it stands there twice")]
    [InlineData("""{"order":{"lines":[],"tags":{"a b":"x"}}}""", "$.order.tags['a b']: a whole number belongs here")]
    [InlineData("""{"order":{"lines":[],"pay":{}}}""", "$.order.pay: \"$type\" is missing: one of Card, Cash, 3")]
    [InlineData("""{"order":{"lines":[],"pay":{"$type":"Cheque"}}}""", "$.order.pay.$type: Cheque is none of Card, Cash, 3")]
    [InlineData("""{"order":{"lines":[],"pay":{"$type":"Cash","currency":"EUR"}}}""",
        "$.order.pay.Coins: Cash needs it, because members after it are sent")]
    [InlineData("""{"order":{"lines":[{"item":"\ud800"}]}}""", "$.order.lines[0].item: the text holds half a character")]
    [InlineData("""{"order":{"\udc00":1}}""", "$.order: the name of a member holds half a character")]
    [InlineData("""{"count":2}""", "$.order: Order needs it")]
    [InlineData("""{"order":{"lines":[]},"cuont":2}""", "$.cuont: Order has no such parameter; it has order, note, count")]
    [InlineData("""{"order":{"lines":[]},"count":2.5}""", "$.count: a whole number belongs here")]
    [InlineData("""{"order":{"lines":[]},"count":2147483648}""", "$.count: 2147483648 is out of range: -2147483648 to 2147483647")]
    [InlineData("""[1]""", "$: the body is one object with the parameters of Order by name")]
    public void What_a_method_does_not_take_is_refused_with_its_place(string body, string expected)
    {
        using JsonDocument document = JsonDocument.Parse(body);
        var error = Assert.Throws<JsonValueException>(() => JsonEncoder.Arguments(document.RootElement, s_app.Methods[0]));
        Assert.Equal(expected, error.Message.Replace("Order.Lines", "order.Lines", StringComparison.Ordinal), ignoreCase: true);
    }

    [Theory]
    [InlineData("time", "\"2026-02-30T00:00:00Z\"")]
    [InlineData("time", "\"2026-02-03T00:00:00.12345678Z\"")] // Eight digits do not fit 100 ns.
    [InlineData("clock", "\"2026-02-03T00:00:00\"")] // An offset must be said, not taken from some machine.
    [InlineData("date", "\"2026-2-3\"")]
    [InlineData("timeofday", "\"24:00:00\"")]
    [InlineData("span", "\"P1M\"")] // A month has no length.
    [InlineData("span", "\"90\"")]
    [InlineData("bytes", "\"AQI\"")]
    [InlineData("uuid", "\"0f8fad5bd9cb469fa16570867728950e\"")]
    [InlineData("char", "\"ab\"")]
    [InlineData("rune", "\"ab\"")]
    [InlineData("version", "\"1\"")]
    [InlineData("bool", "1")]
    [InlineData("bool", "\"true\"")]
    [InlineData("float32", "1e39")]
    [InlineData("float64", "1e999")]
    [InlineData("float64", "\"0.1\"")]
    [InlineData("int32", "\"1 \"")]
    [InlineData("decimal", "1e29")]
    [InlineData("decimal", "1e-29")]
    [InlineData("integer", "1e400")]
    [InlineData("(int32,text)", "[1]")]
    [InlineData("{(int32,text):bool}", "[[[1,\"a\"]]]")]
    public void A_value_that_would_lose_something_is_refused(string type, string json)
    {
        using JsonDocument document = JsonDocument.Parse(json);
        Assert.Throws<JsonValueException>(() => JsonEncoder.Value(document.RootElement, TypeOf(type)));
    }

    [Fact]
    public void What_is_left_out_takes_its_default()
    {
        using JsonDocument document = JsonDocument.Parse("""{"ORDER":{"Lines":[]}}""");
        Assert.Equal("9381a54c696e657390c003", Hex(JsonEncoder.Arguments(document.RootElement, s_app.Methods[0])));
    }

    [Theory] // An answer may be older than the code: it is told by its own bytes then (outside-calls.md X24).
    [InlineData("int32", "a161", "\"a\"")]
    [InlineData("text", "01", "1")]
    [InlineData("#1", "81a3466f6fc3", "{\"Foo\":true}")]
    [InlineData("#2", "9209c0", "[9,null]")]
    [InlineData("#5", "09", "9")]
    [InlineData("[text]", "92a16101", "[\"a\",1]")]
    [InlineData("date", "ce7fffffff", "2147483647")]
    [InlineData("text", "d6ff00000001", "\"1970-01-01T00:00:01Z\"")]
    [InlineData("text", "8101a161", "{\"1\":\"a\"}")]
    [InlineData("text", "c403010203", "\"AQID\"")]
    [InlineData("text", "a1", "{\"base64\":\"oQ==\"}")]
    [InlineData("text", "c1", "{\"base64\":\"wQ==\"}")]
    [InlineData("text", "", "{\"base64\":\"\"}")]
    [InlineData("text", "dcffff", "{\"base64\":\"3P//\"}")]
    [InlineData("text", "d40501", "{\"base64\":\"1AUB\"}")]
    [InlineData("int32", "0101", "{\"base64\":\"AQE=\"}")]
    [InlineData("any", "a1ff", "{\"base64\":\"of8=\"}")]
    public void An_answer_that_is_not_of_its_type_is_told_by_its_own_bytes(string type, string hex, string expected) =>
        Assert.Equal(expected, Encoding.UTF8.GetString(JsonDecoder.Value(Convert.FromHexString(hex), TypeOf(type))));

    [Fact]
    public void Bytes_that_announce_or_nest_without_end_are_told_as_bytes()
    {
        byte[] deep = [.. Enumerable.Repeat((byte)0x91, 100_000)];
        Assert.StartsWith("{\"base64\"", Encoding.UTF8.GetString(JsonDecoder.Value(deep, null)), StringComparison.Ordinal);
        Assert.StartsWith("{\"base64\"", Encoding.UTF8.GetString(JsonDecoder.Value([0xdd, 0x7f, 0xff, 0xff, 0xff, 1], null)),
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_reply_in_JSON_is_told_as_it_is()
    {
        Assert.Equal("1.50", Encoding.UTF8.GetString(JsonDecoder.Value("{\"result\":1.50}"u8, null)));
        Assert.Equal("{\"base64\":\"e3s=\"}", Encoding.UTF8.GetString(JsonDecoder.Value("{{"u8, null)));
    }

    [Fact] // Seeds are fixed: a failure repeats.
    public void No_bytes_and_no_JSON_bring_anything_but_a_refusal()
    {
        string[] texts = ["null", "true", "1", "-1", "1e9999", "\"x\"", "\"\\ud800\"", "[]", "[1]", "{}", "{\"$type\":\"Card\"}",
            "{\"Lines\":[{}]}", "9e-400"];
        TypeShape[] types =
        [
            .. Enum.GetValues<ScalarKind>().Select(static kind => new ScalarShape(kind)), .. s_app.Types, TypeOf("[#0?]"),
            TypeOf("{#5:#2}"), TypeOf("{[text]:#1}"),
        ];
        var random = new Random(17);
        for (int i = 0; i < 20_000; i++)
        {
            TypeShape type = types[random.Next(types.Length)];
            var bytes = new byte[random.Next(24)];
            random.NextBytes(bytes);
            using JsonDocument told = JsonDocument.Parse(JsonDecoder.Value(bytes, type));
            string json = Nest(random, texts, 0);
            using JsonDocument document = JsonDocument.Parse(json);
            try
            {
                byte[] encoded = JsonEncoder.Value(document.RootElement, type);
                byte[] shown = JsonDecoder.Value(encoded, type);
                using JsonDocument back = JsonDocument.Parse(shown);
                Assert.Equal(shown, JsonDecoder.Value(JsonEncoder.Value(back.RootElement, type), type)); // It comes back as what is taken.
            }
            catch (JsonValueException)
            {
                // Refused.
            }
        }
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("[]")]
    [InlineData("nothing")]
    [InlineData("""{"interface":"A","methods":[],"types":[{"name":"x","members":[{"name":"a","type":"#1"}]}]}""")]
    [InlineData("""{"interface":"A","methods":[],"types":[{"name":"x","members":[{"name":"a","type":"strange"}]}]}""")]
    [InlineData("""{"interface":"A","methods":[],"types":[{"name":"x","members":[{"name":"a","type":"[int32"}]}]}""")]
    [InlineData("""{"interface":"A","methods":[],"types":[{"name":"x","members":[{"name":"a","type":"7"}]}]}""")]
    [InlineData("""{"interface":"A","methods":[],"types":[{"name":"x","members":[{"name":"a","type":""}]}]}""")]
    [InlineData("""{"interface":"A","methods":[],"types":[{"name":"x","slots":[{"name":"a","type":"text","at":2000000}]}]}""")]
    [InlineData("""{"interface":"A","methods":[],"types":[{"name":"x","numbers":"int32","values":{"a":1.5}}]}""")]
    [InlineData("""{"interface":"A","methods":[{"id":1,"name":"x","parameters":[{"name":"a","type":"int32","default":"x"}]}],"types":[]}""")]
    [InlineData("""{"interface":"A","methods":[{"id":4294967296,"name":"x","parameters":[]}],"types":[]}""")]
    public void A_text_that_says_no_shapes_is_refused(string text) => Assert.Throws<ShapeException>(() => ShapeReader.Read(text));

    [Fact]
    public void A_type_without_end_is_refused() => Assert.Throws<ShapeException>(() => ShapeReader.Read(
        $$"""{"interface":"A","methods":[{"id":1,"name":"x","parameters":[],"result":"{{new string('[', 100_000)}}"}],"types":[]}"""));

    private static string Nest(Random random, string[] texts, int depth) =>
        depth > 3 ? texts[random.Next(texts.Length)] : random.Next(6) switch
    {
        0 => $"[{Nest(random, texts, depth + 1)},{Nest(random, texts, depth + 1)}]",
        1 => $"{{\"Lines\":{Nest(random, texts, depth + 1)},\"Item\":{Nest(random, texts, depth + 1)}}}",
        2 => $"{{\"$type\":\"Cash\",\"Coins\":{Nest(random, texts, depth + 1)}}}",
        _ => texts[random.Next(texts.Length)],
    };

    private static string Hex(byte[] bytes) => Convert.ToHexString(bytes).ToLowerInvariant();

    private static TypeShape TypeOf(string type) => ShapeReader.Read(
        $$"""{"interface":"A","methods":[{"id":1,"name":"x","parameters":[],"result":"{{type}}"}],"types":{{Types}}}""").Methods[0].Result!;
}
