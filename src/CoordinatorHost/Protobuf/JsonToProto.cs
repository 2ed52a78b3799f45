using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>Turns JSON into a message. Nothing is dropped: what has no field does not fit.</summary>
internal static class JsonToProto
{
    /// <summary>The message.</summary>
    /// <param name="json">The value.</param>
    /// <param name="type">What the message is.</param>
    /// <exception cref="ProtoValueException">The value does not fit into it.</exception>
    public static byte[] Convert(ReadOnlyMemory<byte> json, ProtoMessage type)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(json, new JsonDocumentOptions { MaxDepth = 512 });
            return Message(document.RootElement, type);
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException or FormatException or OverflowException
            or KeyNotFoundException)
        {
            throw error as ProtoValueException ?? new ProtoValueException($"a value is none of {type.Name}");
        }
    }

    private static byte[] Message(JsonElement value, ProtoMessage type, bool isCase = false)
    {
        var output = new WireWriter(new ArrayBufferWriter<byte>(64));
        switch (type.Form)
        {
            case ProtoForm.Wrapper:
                WriteField(output, type.Fields[0], value);
                break;
            case ProtoForm.Tuple:
                int at = 0;
                foreach (JsonElement item in value.EnumerateArray())
                {
                    WriteField(output, at < type.Fields.Count ? type.Fields[at++] : throw Wrong(type, "an item more"), item);
                }

                break;
            case ProtoForm.Union:
                string name = value.GetProperty(UnionShape.Discriminator).GetString()!;
                ProtoField chosen = type.Fields.FirstOrDefault(each => each.JsonName == name) ?? throw Wrong(type, name);
                bool isObject = chosen.Content.Message is { Form: ProtoForm.Object };
                WriteField(output, chosen, isObject ? value : value.GetProperty(UnionShape.Value), isCase: isObject);
                break;
            default:
                foreach (JsonProperty member in value.EnumerateObject())
                {
                    ProtoField? field = type.Fields.FirstOrDefault(each => each.JsonName == member.Name);
                    if (field is not null)
                    {
                        WriteField(output, field, member.Value);
                    }
                    else if (!isCase || member.Name != UnionShape.Discriminator)
                    {
                        throw Wrong(type, member.Name);
                    }
                }

                break;
        }

        return output.Written.ToArray();
    }

    private static ProtoValueException Wrong(ProtoMessage type, string what) => new($"{type.Name} has no place for {what}");

    private static void WriteField(in WireWriter output, ProtoField field, JsonElement value, bool isCase = false)
    {
        ProtoContent content = field.Content;
        if (content.Key is { } key)
        {
            foreach (JsonProperty member in value.EnumerateObject())
            {
                var entry = new WireWriter(new ArrayBufferWriter<byte>(32));
                WriteKey(entry, member.Name, key);
                WriteOne(entry, 2, content, member.Value, isAlways: true, isCase: false);
                output.Bytes(field.Number, entry.Written);
            }
        }
        else if (content.IsRepeated)
        {
            foreach (JsonElement item in value.EnumerateArray())
            {
                WriteOne(output, field.Number, content, item, isAlways: true, isCase: false);
            }
        }
        else if (!content.IsNullable || value.ValueKind != JsonValueKind.Null)
        {
            WriteOne(output, field.Number, content, value, field.HasPresence, isCase);
        }
    }

    private static void WriteKey(in WireWriter output, string name, ProtoKind kind)
    {
        switch (kind)
        {
            case ProtoKind.String:
                output.Bytes(1, Encoding.UTF8.GetBytes(name));
                break;
            case ProtoKind.Bool:
                output.Varint(1, bool.Parse(name) ? 1ul : 0);
                break;
            case ProtoKind.Int32 or ProtoKind.Int64:
                output.Varint(1, unchecked((ulong)long.Parse(name, CultureInfo.InvariantCulture)));
                break;
            default:
                output.Varint(1, ulong.Parse(name, CultureInfo.InvariantCulture));
                break;
        }
    }

    private static void WriteOne(
        in WireWriter output, int number, ProtoContent content, JsonElement value, bool isAlways, bool isCase)
    {
        switch (content.Kind)
        {
            case ProtoKind.Message:
                output.Bytes(number, Message(value, content.Message!, isCase));
                break;
            case ProtoKind.String:
                WriteBytes(output, number, Encoding.UTF8.GetBytes(TextOf(value)), isAlways);
                break;
            case ProtoKind.Bytes:
                WriteBytes(output, number, value.GetBytesFromBase64(), isAlways);
                break;
            case ProtoKind.Float:
                float single = (float)FloatOf(value);
                if (isAlways || BitConverter.SingleToUInt32Bits(single) != 0)
                {
                    output.Single(number, single);
                }

                break;
            case ProtoKind.Double:
                double real = FloatOf(value);
                if (isAlways || BitConverter.DoubleToUInt64Bits(real) != 0)
                {
                    output.Double(number, real);
                }

                break;
            default:
                ulong bits = BitsOf(value, content);
                if (isAlways || bits != 0)
                {
                    output.Varint(number, bits);
                }

                break;
        }
    }

    private static void WriteBytes(in WireWriter output, int number, byte[] value, bool isAlways)
    {
        if (isAlways || value.Length > 0)
        {
            output.Bytes(number, value);
        }
    }

    // Numbers of types that are text in messages stand as they are.
    private static string TextOf(JsonElement value) => value.ValueKind == JsonValueKind.Number ? value.GetRawText() : value.GetString()
        ?? throw new ProtoValueException("null stands where a text belongs");

    private static ulong BitsOf(JsonElement value, ProtoContent content)
    {
        if (content.Kind == ProtoKind.Bool)
        {
            return value.GetBoolean() ? 1ul : 0;
        }

        string text = TextOf(value);
        if (content.IsCharacter && value.ValueKind == JsonValueKind.String)
        {
            return text.Length == 1 ? text[0] : throw new ProtoValueException("a text stands where one character belongs");
        }

        return content.Kind switch
        {
            ProtoKind.Int32 => unchecked((ulong)int.Parse(text, CultureInfo.InvariantCulture)),
            ProtoKind.Int64 => unchecked((ulong)long.Parse(text, CultureInfo.InvariantCulture)),
            ProtoKind.UInt32 => uint.Parse(text, CultureInfo.InvariantCulture),
            _ => ulong.Parse(text, CultureInfo.InvariantCulture),
        };
    }

    private static double FloatOf(JsonElement value) => double.Parse(TextOf(value), NumberStyles.Float, CultureInfo.InvariantCulture);
}
