using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Unicode;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>
/// Turns a result into JSON: by its type, or, where its bytes are not of that type, by what the bytes say of themselves. An answer that is
/// kept may be older than the app's code, so that no answer ever fails here (docs/internals/outside-calls.md X24).
/// </summary>
internal static class JsonDecoder
{
    /// <summary>So many values hold others, one in the other. What is deeper is told as bytes.</summary>
    public const int MaxDepth = 64;

    private static readonly JsonWriterOptions s_options = new()
    {
        MaxDepth = 4 * MaxDepth,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, // It is JSON that is answered, and no part of a page.
    };


    /// <summary>The result as JSON.</summary>
    /// <param name="bytes">As the app wrote it.</param>
    /// <param name="type">Its type; null if it is not known.</param>
    public static byte[] Value(ReadOnlySpan<byte> bytes, TypeShape? type)
    {
        if (bytes.Length > 1 && bytes[0] == (byte)'{')
        {
            return OfJson(bytes);
        }

        return (type is null ? null : TryWrite(bytes, type)) ?? TryWrite(bytes, null) ?? Raw(bytes);
    }

    /// <summary>JSON that a binding of another language sent: an object whose first member is the value.</summary>
    private static byte[] OfJson(ReadOnlySpan<byte> bytes)
    {
        if (!Utf8.IsValid(bytes))
        {
            return Raw(bytes); // A document takes it, and fails when it is looked at.
        }

        try
        {
            using JsonDocument document = JsonDocument.Parse(bytes.ToArray());
            foreach (JsonProperty member in document.RootElement.EnumerateObject())
            {
                return Encoding.UTF8.GetBytes(member.Value.GetRawText());
            }

            return "null"u8.ToArray();
        }
        catch (JsonException)
        {
            return Raw(bytes);
        }
    }

    private static byte[]? TryWrite(ReadOnlySpan<byte> bytes, TypeShape? type)
    {
        var output = new ArrayBufferWriter<byte>(Math.Max(256, bytes.Length));
        try
        {
            using var json = new Utf8JsonWriter(output, s_options);
            var reader = new PackReader(bytes);
            if (type is null)
            {
                WriteAny(ref reader, json, 0);
            }
            else
            {
                Write(ref reader, json, type, 0);
            }

            json.Flush();
            return reader.Left == 0 ? output.WrittenSpan.ToArray() : null;
        }
        catch (Exception error) when (error is PackException or ArgumentException or InvalidOperationException)
        {
            return null; // ArgumentException and InvalidOperationException: JSON that cannot be, such as one nested too deeply.
        }
    }

    private static byte[] Raw(ReadOnlySpan<byte> bytes) => Encoding.UTF8.GetBytes($"{{\"base64\":\"{Convert.ToBase64String(bytes)}\"}}");

    private static void Write(ref PackReader reader, Utf8JsonWriter json, TypeShape type, int depth)
    {
        if (depth > MaxDepth)
        {
            throw new PackException("values are nested too deeply");
        }

        switch (type)
        {
            case OptionalShape optional when !reader.TryNil():
                Write(ref reader, json, optional.Value, depth);
                break;
            case OptionalShape:
                json.WriteNullValue();
                break;
            case ScalarShape { Kind: ScalarKind.Any }:
                WriteAny(ref reader, json, depth);
                break;
            case ScalarShape scalar:
                ScalarDecoder.Write(ref reader, json, scalar.Kind);
                break;
            case EnumShape names:
                ScalarDecoder.Write(ref reader, json, names);
                break;
            case ListShape list:
                json.WriteStartArray();
                for (int left = reader.Array(); left > 0; left--)
                {
                    Write(ref reader, json, list.Item, depth + 1);
                }

                json.WriteEndArray();
                break;
            case TupleShape tuple:
                WriteTuple(ref reader, json, tuple.Items, depth);
                break;
            case MapShape map:
                WriteMap(ref reader, json, map, depth);
                break;
            case UnionShape union:
                WriteUnion(ref reader, json, union, depth);
                break;
            case ObjectShape members:
                json.WriteStartObject();
                WriteMembers(ref reader, json, members, depth);
                json.WriteEndObject();
                break;
        }
    }

    private static void WriteTuple(ref PackReader reader, Utf8JsonWriter json, IReadOnlyList<TypeShape> items, int depth)
    {
        if (reader.Array() != items.Count)
        {
            throw new PackException("a tuple of another size");
        }

        json.WriteStartArray();
        foreach (TypeShape item in items)
        {
            Write(ref reader, json, item, depth + 1);
        }

        json.WriteEndArray();
    }

    private static void WriteMap(ref PackReader reader, Utf8JsonWriter json, MapShape map, int depth)
    {
        int count = reader.Map();
        if (map.HasNames)
        {
            json.WriteStartObject();
            for (; count > 0; count--)
            {
                json.WritePropertyName(ScalarDecoder.Name(ref reader, map.Key));
                Write(ref reader, json, map.Value, depth + 1);
            }

            json.WriteEndObject();
            return;
        }

        json.WriteStartArray();
        for (; count > 0; count--)
        {
            json.WriteStartArray();
            Write(ref reader, json, map.Key, depth + 1);
            Write(ref reader, json, map.Value, depth + 1);
            json.WriteEndArray();
        }

        json.WriteEndArray();
    }

    private static void WriteUnion(ref PackReader reader, Utf8JsonWriter json, UnionShape union, int depth)
    {
        long tag = reader.Array() == 2 ? reader.Int64() : throw new PackException("a union is an array of two");
        CaseShape chosen = union.Cases.FirstOrDefault(each => each.Tag == tag) ?? throw new PackException($"no case has the tag {tag}");
        json.WriteStartObject();
        json.WriteString(UnionShape.Discriminator, chosen.Name);
        if (chosen.Type is ObjectShape members)
        {
            WriteMembers(ref reader, json, members, depth + 1);
        }
        else
        {
            json.WritePropertyName(UnionShape.Value);
            Write(ref reader, json, chosen.Type, depth + 1);
        }

        json.WriteEndObject();
    }

    private static void WriteMembers(ref PackReader reader, Utf8JsonWriter json, ObjectShape shape, int depth)
    {
        if (shape.IsArray)
        {
            int count = reader.Array();
            int next = 0;
            for (int i = 0; i < count; i++)
            {
                if (next < shape.Members.Count && shape.Members[next].At == i)
                {
                    json.WritePropertyName(shape.Members[next].Name);
                    Write(ref reader, json, shape.Members[next++].Type, depth + 1);
                }
                else if (!reader.TryNil())
                {
                    throw new PackException($"{shape.Name} has no position {i}");
                }
            }

            return;
        }

        for (int left = reader.Map(); left > 0; left--)
        {
            string name = Encoding.UTF8.GetString(reader.Text());
            int at = shape.Members.Count; // Exact: what the app wrote is spelled as its shapes are.
            while (--at >= 0 && shape.Members[at].Name != name)
            {
            }

            json.WritePropertyName(name);
            Write(ref reader, json, at < 0 ? throw new PackException($"{shape.Name} has no {name}") : shape.Members[at].Type, depth + 1);
        }
    }

    private static void WriteAny(ref PackReader reader, Utf8JsonWriter json, int depth)
    {
        if (depth > MaxDepth)
        {
            throw new PackException("values are nested too deeply");
        }

        switch (reader.Kind)
        {
            case PackKind.Array:
                json.WriteStartArray();
                for (int left = reader.Array(); left > 0; left--)
                {
                    WriteAny(ref reader, json, depth + 1);
                }

                json.WriteEndArray();
                break;
            case PackKind.Map:
                json.WriteStartObject();
                for (int left = reader.Map(); left > 0; left--)
                {
                    json.WritePropertyName(ScalarDecoder.AnyName(ref reader));
                    WriteAny(ref reader, json, depth + 1);
                }

                json.WriteEndObject();
                break;
            default:
                ScalarDecoder.WriteAny(ref reader, json);
                break;
        }
    }
}
