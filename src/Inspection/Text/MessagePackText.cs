using System.Buffers.Binary;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Ambrosia.Inspection.Text;

/// <summary>
/// MessagePack, which C# immortals use for arguments, as JSON. Arguments say of themselves what they are, so this needs neither the app
/// nor its types; bytes that are not MessagePack (another binding's, or damaged) are shown as hexadecimal digits.
/// </summary>
public static class MessagePackText
{
    private const int MaxDepth = 64;
    private const int ShownBytes = 64;

    /// <summary>
    /// The first value in these bytes as JSON; what follows it is ignored. Bytes that are none: a string of hexadecimal digits. Other
    /// bindings send JSON as it is, or ff and raw bytes: no array of arguments begins so.
    /// </summary>
    public static JsonNode? ToJson(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
        {
            return null;
        }

        if (bytes.Length > 1 && bytes[0] == (byte)'{' && TryParse(bytes) is { } json)
        {
            return json;
        }

        if (bytes.Length > 1 && bytes[0] == 0xff)
        {
            return Hex(bytes[1..]);
        }

        int at = 0;
        return TryRead(bytes, ref at, 0, out JsonNode? value) ? value : Hex(bytes);
    }

    private static JsonNode? TryParse(ReadOnlySpan<byte> bytes)
    {
        try
        {
            JsonNode? json = JsonNode.Parse(bytes);
            json?.ToJsonString(); // Half a surrogate pair is read, and cannot be written.
            return json;
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException or ArgumentException)
        {
            return null;
        }
    }

    private static JsonValue Hex(ReadOnlySpan<byte> bytes) =>
        JsonValue.Create($"0x{Convert.ToHexString(bytes[..Math.Min(bytes.Length, ShownBytes)])}"
            + (bytes.Length > ShownBytes ? $"... ({bytes.Length} bytes)" : ""));

    private static bool TryRead(ReadOnlySpan<byte> bytes, ref int at, int depth, out JsonNode? value)
    {
        value = null;
        if (at >= bytes.Length || depth > MaxDepth)
        {
            return false;
        }

        byte code = bytes[at++];
        switch (code)
        {
            case <= 0x7f:
                value = (long)code;
                return true;
            case <= 0x8f:
                return TryReadMap(bytes, ref at, code & 0x0f, depth, out value);
            case <= 0x9f:
                return TryReadArray(bytes, ref at, code & 0x0f, depth, out value);
            case <= 0xbf:
                return TryReadText(bytes, ref at, code & 0x1f, out value);
            case 0xc0:
                return true;
            case 0xc2 or 0xc3:
                value = code == 0xc3;
                return true;
            case >= 0xe0:
                value = (long)(sbyte)code;
                return true;
            default:
                return TryReadSized(bytes, ref at, code, depth, out value);
        }
    }

    private static bool TryReadSized(ReadOnlySpan<byte> bytes, ref int at, byte code, int depth, out JsonNode? value)
    {
        value = null;
        switch (code)
        {
            case 0xca or 0xcb:
                return TryReadFloat(bytes, ref at, code == 0xcb, out value);
            case >= 0xcc and <= 0xd3:
                return TryReadInteger(bytes, ref at, code, out value);
            case 0xc4 or 0xc5 or 0xc6:
                return TryReadSize(bytes, ref at, code - 0xc4, out int binary) && TryReadBytes(bytes, ref at, binary, out value);
            case 0xd9 or 0xda or 0xdb:
                return TryReadSize(bytes, ref at, code - 0xd9, out int text) && TryReadText(bytes, ref at, text, out value);
            case 0xdc or 0xdd:
                return TryReadSize(bytes, ref at, code - 0xdb, out int items) && TryReadArray(bytes, ref at, items, depth, out value);
            case 0xde or 0xdf:
                return TryReadSize(bytes, ref at, code - 0xdd, out int members) && TryReadMap(bytes, ref at, members, depth, out value);
            case >= 0xd4 and <= 0xd8:
                return TryReadExtension(bytes, ref at, 1 << (code - 0xd4), out value);
            case 0xc7 or 0xc8 or 0xc9:
                return TryReadSize(bytes, ref at, code - 0xc7, out int extension) && TryReadExtension(bytes, ref at, extension, out value);
            default:
                return false;
        }
    }

    // Sizes of 1, 2 and 4 bytes, big-endian.
    private static bool TryReadSize(ReadOnlySpan<byte> bytes, ref int at, int power, out int size)
    {
        int length = 1 << power;
        size = 0;
        if (bytes.Length - at < length)
        {
            return false;
        }

        for (int i = 0; i < length; i++)
        {
            size = (size << 8) | bytes[at++];
        }

        return size >= 0 && size <= bytes.Length - at;
    }

    private static bool TryReadInteger(ReadOnlySpan<byte> bytes, ref int at, byte code, out JsonNode? value)
    {
        int length = 1 << ((code - 0xcc) & 3);
        value = null;
        if (bytes.Length - at < length)
        {
            return false;
        }

        ReadOnlySpan<byte> digits = bytes.Slice(at, length);
        at += length;
        if (code == 0xcf && digits[0] > 0x7f)
        {
            value = BinaryPrimitives.ReadUInt64BigEndian(digits);
            return true;
        }

        long number = (code, length) switch
        {
            ( <= 0xcf, 1) => digits[0],
            ( <= 0xcf, 2) => BinaryPrimitives.ReadUInt16BigEndian(digits),
            ( <= 0xcf, 4) => BinaryPrimitives.ReadUInt32BigEndian(digits),
            (_, 1) => (sbyte)digits[0],
            (_, 2) => BinaryPrimitives.ReadInt16BigEndian(digits),
            (_, 4) => BinaryPrimitives.ReadInt32BigEndian(digits),
            _ => BinaryPrimitives.ReadInt64BigEndian(digits),
        };
        value = number;
        return true;
    }

    private static bool TryReadFloat(ReadOnlySpan<byte> bytes, ref int at, bool wide, out JsonNode? value)
    {
        int length = wide ? 8 : 4;
        value = null;
        if (bytes.Length - at < length)
        {
            return false;
        }

        double number = wide ? BinaryPrimitives.ReadDoubleBigEndian(bytes[at..]) : BinaryPrimitives.ReadSingleBigEndian(bytes[at..]);
        at += length;
        value = double.IsFinite(number) ? JsonValue.Create(number)
            : JsonValue.Create(number.ToString(System.Globalization.CultureInfo.InvariantCulture));
        return true;
    }

    private static bool TryReadText(ReadOnlySpan<byte> bytes, ref int at, int length, out JsonNode? value)
    {
        value = null;
        if (bytes.Length - at < length)
        {
            return false;
        }

        value = Encoding.UTF8.GetString(bytes.Slice(at, length));
        at += length;
        return true;
    }

    private static bool TryReadBytes(ReadOnlySpan<byte> bytes, ref int at, int length, out JsonNode? value)
    {
        value = Hex(bytes.Slice(at, length));
        at += length;
        return true;
    }

    private static bool TryReadExtension(ReadOnlySpan<byte> bytes, ref int at, int length, out JsonNode? value)
    {
        value = null;
        if (bytes.Length - at < length + 1)
        {
            return false;
        }

        sbyte type = (sbyte)bytes[at];
        ReadOnlySpan<byte> data = bytes.Slice(at + 1, length);
        at += length + 1;
        value = type == -1 && TimestampText.TryRead(data, out string? time) ? JsonValue.Create(time)
            : JsonValue.Create($"extension {type} {Hex(data)}");
        return true;
    }

    private static bool TryReadArray(ReadOnlySpan<byte> bytes, ref int at, int count, int depth, out JsonNode? value)
    {
        var items = new JsonArray();
        value = items;
        for (int i = 0; i < count; i++)
        {
            if (!TryRead(bytes, ref at, depth + 1, out JsonNode? item))
            {
                return false;
            }

            items.Add(item);
        }

        return true;
    }

    private static bool TryReadMap(ReadOnlySpan<byte> bytes, ref int at, int count, int depth, out JsonNode? value)
    {
        var members = new JsonObject();
        value = members;
        for (int i = 0; i < count; i++)
        {
            if (!TryRead(bytes, ref at, depth + 1, out JsonNode? key) || !TryRead(bytes, ref at, depth + 1, out JsonNode? member))
            {
                return false;
            }

            string name = key is JsonValue plain && plain.GetValueKind() == JsonValueKind.String ? plain.GetValue<string>()
                : key?.ToJsonString() ?? "null";
            members[name] = member;
        }

        return true;
    }
}
