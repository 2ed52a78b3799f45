using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>
/// Turns a message into JSON. Equal messages become the same bytes, however their fields and the entries of their maps are ordered: repeats
/// of a call are compared by them.
/// </summary>
internal sealed class ProtoToJson
{
    private const int MaxDepth = 64;
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };
    private readonly Utf8JsonWriter _json;
    private readonly long _most;
    private readonly bool _isCompared;

    private ProtoToJson(Utf8JsonWriter json, long most, bool isCompared) => (_json, _most, _isCompared) = (json, most, isCompared);

    /// <summary>The message as JSON.</summary>
    /// <param name="message">Its bytes.</param>
    /// <param name="type">What it is.</param>
    /// <param name="most">Bytes of JSON that it may become: members that are not sent take room there.</param>
    /// <exception cref="ProtoValueException">It is no such message.</exception>
    public static byte[] Convert(ReadOnlyMemory<byte> message, ProtoMessage type, long most) => Convert(message, type, most, false);

    /// <summary>
    /// By what repeats of a call are compared: with numbers for names, and without what was not sent. So a repeat is the same call when an
    /// upgrade has added members, or has given other names to those with positions.
    /// </summary>
    /// <param name="message">Its bytes.</param>
    /// <param name="type">What it is.</param>
    /// <param name="most">As above.</param>
    /// <exception cref="ProtoValueException">It is no such message.</exception>
    public static byte[] Compared(ReadOnlyMemory<byte> message, ProtoMessage type, long most) => Convert(message, type, most, true);

    private static byte[] Convert(ReadOnlyMemory<byte> message, ProtoMessage type, long most, bool isCompared)
    {
        var output = new ArrayBufferWriter<byte>(256);
        using (var json = new Utf8JsonWriter(output, s_options))
        {
            new ProtoToJson(json, most, isCompared).WriteMessage(message, type, 0, null);
        }

        return output.WrittenSpan.ToArray();
    }

    private void WriteMessage(ReadOnlyMemory<byte> message, ProtoMessage type, int depth, string? discriminator)
    {
        if (depth > MaxDepth)
        {
            throw new ProtoValueException($"more than {MaxDepth} messages are one in the other");
        }

        if (_json.BytesCommitted + _json.BytesPending > _most)
        {
            throw new ProtoValueException($"the message is more than {_most} bytes as JSON");
        }

        List<WireValue>?[] values = Read(message, type);
        switch (type.Form)
        {
            case ProtoForm.Union:
                WriteUnion(values, type, depth);
                break;
            case ProtoForm.Wrapper:
                WriteElement(values[0], type, type.Fields[0], depth);
                break;
            case ProtoForm.Tuple:
                _json.WriteStartArray();
                for (int i = 0; i < values.Length; i++)
                {
                    WriteElement(values[i], type, type.Fields[i], depth);
                }

                _json.WriteEndArray();
                break;
            default:
                _json.WriteStartObject();
                if (discriminator is not null)
                {
                    _json.WriteString(UnionShape.Discriminator, discriminator);
                }

                for (int i = 0; i < values.Length; i++)
                {
                    WriteMember(values[i], type.Fields[i], depth);
                }

                _json.WriteEndObject();
                break;
        }
    }

    private static List<WireValue>?[] Read(ReadOnlyMemory<byte> message, ProtoMessage type)
    {
        var values = new List<WireValue>?[type.Fields.Count];
        var reader = new WireReader(message);
        while (reader.TryNext(out WireValue value))
        {
            int at = type.IndexOf(value.Number);
            if (at < 0)
            {
                throw new ProtoValueException($"{type.Name} has no field {value.Number}: its sender has another version of the service");
            }

            if (type.Form == ProtoForm.Union)
            {
                for (int other = 0; other < values.Length; other++)
                {
                    values[other] = other == at ? values[other] : null; // The last one counts.
                }
            }

            Add(values[at] ??= [], value, type, type.Fields[at]);
        }

        return values;
    }

    private static void Add(List<WireValue> values, in WireValue value, ProtoMessage type, ProtoField field)
    {
        ProtoContent content = field.Content;
        WireKind kind = content.Key is null ? KindOf(content.Kind) : WireKind.Bytes;
        if (value.Kind != kind && !(content.IsRepeated && value.Kind == WireKind.Bytes)) // Numbers may be packed.
        {
            throw new ProtoValueException($"field {field.Name} of {type.Name} is of another kind");
        }

        if (!content.IsRepeated && content.Kind != ProtoKind.Message)
        {
            values.Clear(); // The last one counts. Messages are merged.
        }

        values.Add(value);
    }

    private void WriteUnion(List<WireValue>?[] values, ProtoMessage type, int depth)
    {
        int at = Array.FindIndex(values, static each => each is not null);
        ProtoField chosen = at >= 0 ? type.Fields[at] : throw new ProtoValueException($"{type.Name} has nothing in it");
        if (chosen.Content is { Kind: ProtoKind.Message, Message: { Form: ProtoForm.Object } inner })
        {
            WriteMessage(Merged(values[at]!), inner, depth + 1, NameOf(chosen));
            return;
        }

        _json.WriteStartObject();
        _json.WriteString(UnionShape.Discriminator, NameOf(chosen));
        _json.WritePropertyName(UnionShape.Value);
        WriteContent(values[at]!, chosen, depth);
        _json.WriteEndObject();
    }

    private string NameOf(ProtoField field) =>
        _isCompared ? field.Number.ToString(CultureInfo.InvariantCulture) : field.JsonName;

    private void WriteMember(List<WireValue>? values, ProtoField field, int depth)
    {
        if (_isCompared && IsNothing(values, field))
        {
            return;
        }

        if (values is null && field.HasPresence)
        {
            if (field.IsNeeded && field.Content.IsNullable)
            {
                _json.WriteNull(field.JsonName);
            }

            return; // What is needed and not there the encoder of JSON refuses, by its name.
        }

        _json.WritePropertyName(NameOf(field));
        WriteContent(values ?? [], field, depth);
    }

    // Zero that was sent is nothing as well, where nobody can tell: libraries send it or not. A list may be packed, and empty.
    private static bool IsNothing(List<WireValue>? values, ProtoField field)
    {
        WireKind item = field.Content.Key is null ? KindOf(field.Content.Kind) : WireKind.Bytes;
        return values is null || (!field.HasPresence && values.TrueForAll(
            value => value.Bits == 0 && value.Bytes.IsEmpty && (!field.Content.IsRepeated || value.Kind != item)));
    }

    private void WriteElement(List<WireValue>? values, ProtoMessage type, ProtoField field, int depth)
    {
        if (values is null && field.HasPresence)
        {
            if (!field.Content.IsNullable)
            {
                throw new ProtoValueException($"field {field.Name} of {type.Name} is missing");
            }

            _json.WriteNullValue();
            return;
        }

        WriteContent(values ?? [], field, depth);
    }

    private void WriteContent(List<WireValue> values, ProtoField field, int depth)
    {
        ProtoContent content = field.Content;
        if (content.Key is { } key)
        {
            WriteMap(values, field, key, depth);
        }
        else if (content.IsRepeated)
        {
            _json.WriteStartArray();
            foreach (WireValue value in values)
            {
                WriteItems(value, field, depth);
            }

            _json.WriteEndArray();
        }
        else if (content.Message is { } message)
        {
            WriteMessage(Merged(values), message, depth + 1, null);
        }
        else
        {
            WriteOne(values.Count > 0 ? values[^1] : default, field, depth);
        }
    }

    private void WriteItems(in WireValue value, ProtoField field, int depth)
    {
        WireKind kind = KindOf(field.Content.Kind);
        if (value.Kind == kind)
        {
            WriteOne(value, field, depth);
            return;
        }

        var packed = new WireReader(value.Bytes);
        while (!packed.IsAtEnd)
        {
            WriteOne(new WireValue(value.Number, kind, packed.Bits(kind), default), field, depth);
        }
    }

    private void WriteMap(List<WireValue> values, ProtoField field, ProtoKind kind, int depth)
    {
        var keyField = new ProtoField(1, "key", "", new ProtoContent(kind), IsNeeded: true);
        var valueField = new ProtoField(2, "value", "", field.Content with { IsRepeated = false, Key = null }, IsNeeded: true);
        var entry = new ProtoMessage($"the map {field.Name}", ProtoForm.Object);
        entry.Complete([keyField, valueField]);
        var entries = new SortedDictionary<string, List<WireValue>>(StringComparer.Ordinal);
        foreach (WireValue each in values)
        {
            List<WireValue>?[] pair = Read(each.Bytes, entry);
            entries[KeyOf(pair[0] is [.., var last] ? last : default, kind)] = pair[1] ?? []; // The last one of a key counts.
        }

        _json.WriteStartObject();
        foreach ((string key, List<WireValue> value) in entries)
        {
            _json.WritePropertyName(key);
            WriteContent(value, valueField, depth);
        }

        _json.WriteEndObject();
    }

    private static string KeyOf(in WireValue value, ProtoKind kind) => kind switch
    {
        ProtoKind.String => TextOf(value.Bytes.Span),
        ProtoKind.Bool => value.Bits != 0 ? "true" : "false",
        ProtoKind.Int32 => Int32Of(value.Bits).ToString(CultureInfo.InvariantCulture),
        ProtoKind.Int64 => ((long)value.Bits).ToString(CultureInfo.InvariantCulture),
        ProtoKind.UInt32 => UInt32Of(value.Bits).ToString(CultureInfo.InvariantCulture),
        _ => value.Bits.ToString(CultureInfo.InvariantCulture),
    };

    private void WriteOne(in WireValue value, ProtoField field, int depth)
    {
        switch (field.Content.Kind)
        {
            case ProtoKind.Bool:
                _json.WriteBooleanValue(value.Bits != 0);
                break;
            case ProtoKind.Int32:
                _json.WriteNumberValue(Int32Of(value.Bits));
                break;
            case ProtoKind.Int64:
                _json.WriteNumberValue((long)value.Bits);
                break;
            case ProtoKind.UInt32:
                _json.WriteNumberValue(UInt32Of(value.Bits));
                break;
            case ProtoKind.UInt64:
                _json.WriteNumberValue(value.Bits);
                break;
            case ProtoKind.Float:
                float single = BitConverter.UInt32BitsToSingle((uint)value.Bits);
                WriteFloat(single, () => _json.WriteNumberValue(single));
                break;
            case ProtoKind.Double:
                double number = BitConverter.UInt64BitsToDouble(value.Bits);
                WriteFloat(number, () => _json.WriteNumberValue(number));
                break;
            case ProtoKind.String:
                _json.WriteStringValue(TextOf(value.Bytes.Span));
                break;
            case ProtoKind.Bytes:
                _json.WriteBase64StringValue(value.Bytes.Span);
                break;
            default:
                WriteMessage(value.Bytes, field.Content.Message!, depth + 1, null);
                break;
        }
    }

    private void WriteFloat(double value, Action write)
    {
        if (double.IsFinite(value))
        {
            write();
        }
        else
        {
            _json.WriteStringValue(double.IsNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
        }
    }

    // Several of one field are one message: its fields one after the other.
    private static ReadOnlyMemory<byte> Merged(List<WireValue> values)
    {
        if (values.Count <= 1)
        {
            return values.Count == 0 ? default : values[0].Bytes;
        }

        var all = new ArrayBufferWriter<byte>();
        foreach (WireValue value in values)
        {
            all.Write(value.Bytes.Span);
        }

        return all.WrittenMemory;
    }

    // Negative ones have 64 bits; some senders give them 32.
    private static int Int32Of(ulong bits) => (long)bits is >= int.MinValue and <= uint.MaxValue
        ? unchecked((int)bits) : throw new ProtoValueException("a number has more than 32 bits");

    private static uint UInt32Of(ulong bits) =>
        bits <= uint.MaxValue ? (uint)bits : throw new ProtoValueException("a number has more than 32 bits");

    private static string TextOf(ReadOnlySpan<byte> bytes)
    {
        try
        {
            return s_strict.GetString(bytes);
        }
        catch (DecoderFallbackException)
        {
            throw new ProtoValueException("a text is not UTF-8");
        }
    }

    private static WireKind KindOf(ProtoKind kind) => kind switch
    {
        ProtoKind.Float => WireKind.Fixed32,
        ProtoKind.Double => WireKind.Fixed64,
        ProtoKind.String or ProtoKind.Bytes or ProtoKind.Message => WireKind.Bytes,
        _ => WireKind.Varint,
    };
}
