using System.Globalization;
using System.Text;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.ImmortalCoordinator.Tests.Protobuf;

/// <summary>Random values of random types become messages and come back as they were.</summary>
public sealed class ProtoRoundTripTests
{
    internal const string Types = """
        [{"name":"Colour","numbers":"int32","values":{"Red":1,"Blue":2}},
        {"name":"Tree","slots":[{"name":"Children","type":"[#1]","at":0,"needed":true},{"name":"Text","type":"text","at":2,"needed":true},{"name":"Left","type":"#1?","at":3}]},
        {"name":"Shape","cases":[{"tag":0,"type":"#1"},{"tag":3,"type":"int32"},{"tag":4,"type":"[int32]"}]},
        {"name":"Named","members":[{"name":"Id","type":"uuid","needed":true},{"name":"Note","type":"text"},{"name":"Kind","type":"#2","needed":true}]}]
        """;

    private static readonly string[] s_scalars =
    [
        "bool", "int8", "int32", "int64", "uint16", "uint32", "uint64", "int128", "float32", "float64", "decimal", "char", "text", "uuid",
        "bytes", "date", "#0", "#1", "#2", "#3",
    ];

    [Fact]
    public void Values_of_random_types_come_back_as_they_were()
    {
        for (int seed = 0; seed < 2000; seed++)
        {
            var random = new Random(seed);
            string name = TypeOf(random, 0);
            AppShape app = ShapeReader.Read(
                $$"""{"interface":"A","methods":[{"id":1,"name":"M","parameters":[],"result":"{{name}}"}],"types":{{Types}}}""");
            TypeShape type = app.Methods[0].Result!;
            ProtoMessage message = ProtoBuilder.Build(app).Methods[0].Reply;
            byte[] before = Encode(ValueOf(random, type, 0), type);
            byte[] sent = JsonToProto.Convert(JsonDecoder.Value(before, type), message);
            byte[] json = ProtoToJson.Convert(sent, message, 1 << 24);
            Assert.True(before.AsSpan().SequenceEqual(Encode(Encoding.UTF8.GetString(json), type)),
                $"seed {seed}, type {name}: {Encoding.UTF8.GetString(JsonDecoder.Value(before, type))} came back as "
                + $"{Encoding.UTF8.GetString(json)}");
            CutShort(sent, message);
        }
    }

    [Fact]
    public void Equal_maps_are_equal_bytes_in_any_order_and_the_last_entry_of_a_key_counts()
    {
        ProtoMessage message = ReplyOf("{text:int32}");
        byte[] one = [0x0a, 5, 0x0a, 1, (byte)'a', 0x10, 1], two = [0x0a, 5, 0x0a, 1, (byte)'b', 0x10, 2];
        byte[] early = [0x0a, 5, 0x0a, 1, (byte)'a', 0x10, 9];
        Assert.Equal("""{"a":1,"b":2}""", TextOf([.. one, .. two], message));
        Assert.Equal("""{"a":1,"b":2}""", TextOf([.. two, .. one], message));
        Assert.Equal("""{"a":1,"b":2}""", TextOf([.. early, .. two, .. one], message));
    }

    [Fact]
    public void Numbers_of_a_list_may_be_packed_or_not_and_of_others_the_last_counts()
    {
        Assert.Equal("[1,2,3]", TextOf([0x08, 1, 0x0a, 2, 2, 3], ReplyOf("[int32]")));
        Assert.Equal("3", TextOf([0x08, 1, 0x08, 3], ReplyOf("int32")));
        Assert.Throws<ProtoValueException>(static () => TextOf([0x0a, 1, 3], ReplyOf("int32")));
        Assert.Throws<ProtoValueException>(static () => TextOf([0x0a, 1, 0x80], ReplyOf("[int32]")));
    }

    [Fact]
    public void What_is_too_deep_or_too_large_is_refused()
    {
        byte[] deep = [];
        for (int i = 0; i < 200; i++)
        {
            deep = [0x0a, .. LengthOf(deep), .. deep];
        }

        Assert.Contains("one in the other", Assert.Throws<ProtoValueException>(() => TextOf(deep, ReplyOf("#1"))).Message,
            StringComparison.Ordinal);
        byte[] many = [.. Enumerable.Repeat<byte[]>([0x0a, 0], 10_000).SelectMany(static each => each)];
        Assert.Contains("as JSON", Assert.Throws<ProtoValueException>(() =>
            ProtoToJson.Convert(many, ReplyOf("[#1]"), 4 * many.Length)).Message, StringComparison.Ordinal);
    }

    private static byte[] LengthOf(byte[] bytes) => bytes.Length < 0x80
        ? [(byte)bytes.Length] : [(byte)(bytes.Length | 0x80), (byte)(bytes.Length >> 7)];

    // Any other bytes are a message or refused: nothing else is thrown.
    private static void CutShort(byte[] sent, ProtoMessage message)
    {
        for (int size = 0; size < sent.Length; size += 1 + (sent.Length / 16))
        {
            try
            {
                ProtoToJson.Convert(sent.AsMemory(0, size), message, 1 << 20);
            }
            catch (ProtoValueException)
            {
                // As it should be.
            }
        }
    }

    private static string TextOf(byte[] sent, ProtoMessage message) => Encoding.UTF8.GetString(ProtoToJson.Convert(sent, message, 1 << 20));

    private static ProtoMessage ReplyOf(string type) => ProtoBuilder.Build(ShapeReader.Read(
        $$"""{"interface":"A","methods":[{"id":1,"name":"M","parameters":[],"result":"{{type}}"}],"types":{{Types}}}""")).Methods[0].Reply;

    private static byte[] Encode(string json, TypeShape type)
    {
        using JsonDocument document = JsonDocument.Parse(json);
        return JsonEncoder.Value(document.RootElement, type);
    }

    internal static string TypeOf(Random random, int depth) => random.Next(depth > 3 ? 1 : 6) switch
    {
        1 => $"[{TypeOf(random, depth + 1)}]",
        2 => $"{TypeOf(random, depth + 1)}?",
        3 => $"({TypeOf(random, depth + 1)},{TypeOf(random, depth + 1)})",
        4 => $"{{{new[] { "text", "int32", "bool", "uint64", "#0" }[random.Next(5)]}:{TypeOf(random, depth + 1)}}}",
        _ => s_scalars[random.Next(s_scalars.Length)],
    };

    private static string ValueOf(Random random, TypeShape type, int depth)
    {
        int count = depth > 5 ? 0 : random.Next(4);
        return type switch
        {
            OptionalShape optional => depth > 5 || random.Next(3) == 0 ? "null" : ValueOf(random, optional.Value, depth + 1),
            ListShape list => $"[{string.Join(',', Enumerable.Range(0, count).Select(_ => ValueOf(random, list.Item, depth + 1)))}]",
            TupleShape tuple => $"[{string.Join(',', tuple.Items.Select(item => ValueOf(random, item, depth + 1)))}]",
            MapShape map => "{" + string.Join(',', KeysOf(map.Key).Take(count)
                .Select(key => $"\"{key}\":{ValueOf(random, map.Value, depth + 1)}")) + "}",
            EnumShape => new[] { "\"Red\"", "\"Blue\"", "7" }[random.Next(3)],
            ObjectShape shape => $"{{{MembersOf(random, shape, depth)}}}",
            UnionShape => random.Next(3) switch
            {
                0 => $$"""{"$type":"Tree",{{MembersOf(random, (ObjectShape)((UnionShape)type).Cases[0].Type, depth)}}}""",
                1 => """{"$type":"3","value":-4}""",
                _ => """{"$type":"4","value":[1,0,2]}""",
            },
            ScalarShape scalar => ScalarOf(random, scalar.Kind),
            _ => "null",
        };
    }

    // Null of a member that may be left out comes back as left out.
    private static string MembersOf(Random random, ObjectShape shape, int depth) => string.Join(',', shape.Members
        .Where(member => member.IsNeeded || random.Next(2) == 0)
        .Select(member => $"\"{member.Name}\":{ValueOf(random, Set(member), depth + 1)}"));

    private static TypeShape Set(MemberShape member) =>
        member is { IsNeeded: false, Type: OptionalShape optional } ? optional.Value : member.Type;

    private static string[] KeysOf(TypeShape key) => key switch
    {
        EnumShape => ["Blue", "Red"],
        ScalarShape { Kind: ScalarKind.Text } => ["", "a", "b"],
        ScalarShape { Kind: ScalarKind.Bool } => ["false", "true"],
        ScalarShape { Kind: ScalarKind.Int32 } => ["-5", "0", "77"],
        _ => ["0", "18446744073709551615"],
    };

    private static string ScalarOf(Random random, ScalarKind kind)
    {
        string[] values = kind switch
        {
            ScalarKind.Bool => ["true", "false"],
            ScalarKind.Int8 => ["-128", "0", "127"],
            ScalarKind.Int32 => ["-2147483648", "0", "2147483647"],
            ScalarKind.Int64 => ["-9223372036854775808", "0", "9223372036854775807"],
            ScalarKind.UInt16 => ["0", "65535"],
            ScalarKind.UInt32 => ["0", "4294967295"],
            ScalarKind.UInt64 => ["0", "18446744073709551615"],
            ScalarKind.Int128 => ["0", "\"-170141183460469231731687303715884105728\""],
            ScalarKind.Float32 => ["0", "-0.0", "0.1", "\"NaN\"", "3.4028235E38"],
            ScalarKind.Float64 => ["0", "-0.0", "0.1", "\"-Infinity\"", random.NextDouble().ToString("R", CultureInfo.InvariantCulture)],
            ScalarKind.Decimal => ["0", "\"79228162514264337593543950335\"", "\"1.10\""],
            ScalarKind.Char => ["\"5\"", "\"ä\"", "55357", "0"],
            ScalarKind.Text => ["\"\"", "\"a\"", "\"\\ud83d\\ude00\\\"\""],
            ScalarKind.Uuid => ["\"0f8fad5b-d9cb-469f-a165-70867728950e\""],
            ScalarKind.Bytes => ["\"\"", "\"AAEC\""],
            _ => ["\"2026-11-26\"", "\"0001-01-01\""],
        };
        return values[random.Next(values.Length)];
    }
}
