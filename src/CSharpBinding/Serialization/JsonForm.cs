using System.Buffers;
using System.Globalization;
using System.Text.Json;

namespace Ambrosia.Serialization;

/// <summary>
/// Arguments and results as bindings of other languages send them, from and to the MessagePack that handlers and proxies are written for.
/// An array of MessagePack never begins with a brace or with ff, so that what comes says of itself what it is.
/// </summary>
internal static class JsonForm
{
    private const byte Raw = 0xff;
    // What a writer may nest, in the object that holds the arguments or the result.
    private static readonly JsonDocumentOptions s_limits = new() { MaxDepth = MessagePackLimits.MaxDepth + 1 };
    private static readonly byte[] s_none = [MessagePackCode.FixArray];

    /// <summary>Arguments that are not JSON, as one array: nothing is no arguments, ff and bytes are one argument of bytes.</summary>
    public static ReadOnlySpan<byte> Arguments(ReadOnlySpan<byte> body)
    {
        if (body.IsEmpty)
        {
            return s_none;
        }

        if (body[0] != Raw)
        {
            return body;
        }

        var output = new ArrayBufferWriter<byte>(body.Length + 8);
        var writer = new MessagePackWriter(output);
        writer.WriteArrayHeader(1);
        writer.WriteBinary(body[1..]);
        writer.Flush();
        return output.WrittenSpan;
    }

    /// <summary>
    /// Arguments that may be a JSON object, as one array in the order of the parameters. What the object does not have is nil.
    /// </summary>
    /// <exception cref="JsonException">They begin with a brace and are not JSON.</exception>
    public static ReadOnlySpan<byte> Arguments(ReadOnlySpan<byte> body, ReadOnlySpan<string> parameters)
    {
        if (body.IsEmpty || body[0] != (byte)'{')
        {
            return Arguments(body);
        }

        using JsonDocument document = JsonDocument.Parse(body.ToArray(), s_limits);
        var output = new ArrayBufferWriter<byte>(body.Length);
        var writer = new MessagePackWriter(output);
        writer.WriteArrayHeader(parameters.Length);
        foreach (string parameter in parameters)
        {
            if (document.RootElement.TryGetProperty(parameter, out JsonElement argument))
            {
                Write(ref writer, argument);
            }
            else
            {
                writer.WriteNil();
            }
        }

        writer.Flush();
        return output.WrittenSpan;
    }

    /// <summary>
    /// One array of arguments as other bindings take them: an object, ff and the bytes of a single argument of bytes, or nothing.
    /// </summary>
    /// <exception cref="NotSupportedException">An argument has no form in JSON.</exception>
    public static byte[] FromArguments(ReadOnlySpan<byte> arguments, ReadOnlySpan<string> parameters)
    {
        var reader = new MessagePackReader(arguments);
        reader.ReadArrayHeader(parameters.Length);
        if (parameters.IsEmpty)
        {
            return [];
        }

        if (parameters.Length == 1 && reader.Remaining[0] is >= MessagePackCode.Bin8 and <= MessagePackCode.Bin32)
        {
            return [Raw, .. reader.ReadBinary()];
        }

        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartObject();
            foreach (string parameter in parameters)
            {
                json.WritePropertyName(parameter);
                Read(ref reader, json);
            }

            json.WriteEndObject();
        }

        return stream.ToArray();
    }

    /// <summary>The value of a reply, which may be a JSON object with one member.</summary>
    /// <exception cref="JsonException">It begins as one, and is none.</exception>
    public static ReadOnlySpan<byte> Reply(ReadOnlySpan<byte> body)
    {
        if (body.Length < 2 || body[0] != (byte)'{')
        {
            return body; // A single byte is the number 123.
        }

        using JsonDocument document = JsonDocument.Parse(body.ToArray(), s_limits);
        var output = new ArrayBufferWriter<byte>(body.Length);
        var writer = new MessagePackWriter(output);
        foreach (JsonProperty member in document.RootElement.EnumerateObject())
        {
            Write(ref writer, member.Value);
            break;
        }

        writer.Flush();
        return output.WrittenSpan;
    }

    /// <summary>A value as a JSON object with one member.</summary>
    /// <exception cref="NotSupportedException">It has no form in JSON.</exception>
    public static byte[] FromReply(string member, ReadOnlySpan<byte> value)
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            var reader = new MessagePackReader(value);
            json.WriteStartObject();
            json.WritePropertyName(member);
            Read(ref reader, json);
            json.WriteEndObject();
        }

        return stream.ToArray();
    }

    private static void Write(ref MessagePackWriter writer, JsonElement value)
    {
        switch (value.ValueKind)
        {
            case JsonValueKind.Object:
                writer.Enter();
                writer.WriteMapHeader(value.EnumerateObject().Count());
                foreach (JsonProperty member in value.EnumerateObject())
                {
                    writer.WriteString(member.Name);
                    Write(ref writer, member.Value);
                }

                writer.Leave();
                break;
            case JsonValueKind.Array:
                writer.Enter();
                writer.WriteArrayHeader(value.GetArrayLength());
                foreach (JsonElement item in value.EnumerateArray())
                {
                    Write(ref writer, item);
                }

                writer.Leave();
                break;
            case JsonValueKind.String:
                writer.WriteString(value.GetString());
                break;
            case JsonValueKind.Number when value.TryGetInt64(out long whole):
                writer.WriteInt64(whole);
                break;
            case JsonValueKind.Number when value.TryGetUInt64(out ulong large):
                writer.WriteUInt64(large);
                break;
            case JsonValueKind.Number:
                writer.WriteDouble(value.GetDouble());
                break;
            case JsonValueKind.True or JsonValueKind.False:
                writer.WriteBoolean(value.GetBoolean());
                break;
            default:
                writer.WriteNil();
                break;
        }
    }

    private static void Read(ref MessagePackReader reader, Utf8JsonWriter json)
    {
        switch (reader.Remaining[0])
        {
            case MessagePackCode.Nil:
                reader.TryReadNil();
                json.WriteNullValue();
                break;
            case MessagePackCode.False or MessagePackCode.True:
                json.WriteBooleanValue(reader.ReadBoolean());
                break;
            case MessagePackCode.Float32 or MessagePackCode.Float64:
                json.WriteNumberValue(reader.ReadDouble());
                break;
            case MessagePackCode.UInt64:
                json.WriteNumberValue(reader.ReadUInt64());
                break;
            case <= 0x7f or >= 0xe0 or (>= MessagePackCode.UInt8 and <= MessagePackCode.Int64):
                json.WriteNumberValue(reader.ReadInt64());
                break;
            case (>= 0xa0 and <= 0xbf) or (>= MessagePackCode.Str8 and <= MessagePackCode.Str32):
                json.WriteStringValue(reader.ReadUtf8());
                break;
            case (>= 0x90 and <= 0x9f) or MessagePackCode.Array16 or MessagePackCode.Array32:
                ReadArray(ref reader, json);
                break;
            case (>= 0x80 and <= 0x8f) or MessagePackCode.Map16 or MessagePackCode.Map32:
                ReadMap(ref reader, json);
                break;
            case byte code:
                throw new NotSupportedException(string.Create(
                    CultureInfo.InvariantCulture,
                    $"A value of MessagePack's type {code:x2}, bytes or a time, has no form in JSON here: "
                    + $"send text, or bytes as the only parameter."));
        }
    }

    private static void ReadArray(ref MessagePackReader reader, Utf8JsonWriter json)
    {
        reader.Enter();
        json.WriteStartArray();
        for (int left = reader.ReadArrayHeader(); left > 0; left--)
        {
            Read(ref reader, json);
        }

        json.WriteEndArray();
        reader.Leave();
    }

    private static void ReadMap(ref MessagePackReader reader, Utf8JsonWriter json)
    {
        reader.Enter();
        json.WriteStartObject();
        for (int left = reader.ReadMapHeader(); left > 0; left--)
        {
            bool isText = reader.Remaining[0] is (>= 0xa0 and <= 0xbf) or (>= MessagePackCode.Str8 and <= MessagePackCode.Str32);
            json.WritePropertyName(isText ? reader.ReadUtf8()
                : throw new NotSupportedException("A dictionary whose keys are not text has no form in JSON here."));
            Read(ref reader, json);
        }

        json.WriteEndObject();
        reader.Leave();
    }
}
