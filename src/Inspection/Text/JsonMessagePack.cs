using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Ambrosia.Inspection.Text;

/// <summary>
/// JSON as MessagePack, for arguments that a person writes. Whole numbers take the shortest form, others are doubles; everything else is
/// what it is.
/// </summary>
public static class JsonMessagePack
{
    /// <summary>The value's bytes.</summary>
    public static byte[] ToBytes(JsonNode? value)
    {
        var output = new ArrayBufferWriter<byte>();
        Write(output, value);
        return output.WrittenSpan.ToArray();
    }

    private static void Write(ArrayBufferWriter<byte> output, JsonNode? value)
    {
        switch (value)
        {
            case null:
                Byte(output, 0xc0);
                break;
            case JsonArray array:
                Sized(output, 0x90, 0xdc, array.Count);
                foreach (JsonNode? item in array)
                {
                    Write(output, item);
                }

                break;
            case JsonObject map:
                Sized(output, 0x80, 0xde, map.Count);
                foreach ((string name, JsonNode? member) in map)
                {
                    Text(output, name);
                    Write(output, member);
                }

                break;
            default:
                Scalar(output, value.AsValue());
                break;
        }
    }

    private static void Scalar(ArrayBufferWriter<byte> output, JsonValue value)
    {
        switch (value.GetValueKind())
        {
            case JsonValueKind.True:
                Byte(output, 0xc3);
                break;
            case JsonValueKind.False:
                Byte(output, 0xc2);
                break;
            case JsonValueKind.String:
                Text(output, value.GetValue<string>());
                break;
            default:
                Number(output, value.ToJsonString());
                break;
        }
    }

    private static void Number(ArrayBufferWriter<byte> output, string text)
    {
        if (long.TryParse(text, System.Globalization.CultureInfo.InvariantCulture, out long whole))
        {
            Whole(output, whole);
        }
        else if (ulong.TryParse(text, System.Globalization.CultureInfo.InvariantCulture, out ulong large))
        {
            Byte(output, 0xcf);
            BinaryPrimitives.WriteUInt64BigEndian(output.GetSpan(8), large);
            output.Advance(8);
        }
        else
        {
            Byte(output, 0xcb);
            BinaryPrimitives.WriteDoubleBigEndian(output.GetSpan(8), double.Parse(text, System.Globalization.CultureInfo.InvariantCulture));
            output.Advance(8);
        }
    }

    private static void Whole(ArrayBufferWriter<byte> output, long value)
    {
        if (value is >= -32 and <= 127)
        {
            Byte(output, unchecked((byte)value));
            return;
        }

        (byte code, int size) = value switch
        {
            >= 0 and <= byte.MaxValue => ((byte)0xcc, 1),
            >= 0 and <= ushort.MaxValue => ((byte)0xcd, 2),
            >= 0 and <= uint.MaxValue => ((byte)0xce, 4),
            >= 0 => ((byte)0xcf, 8),
            >= sbyte.MinValue => ((byte)0xd0, 1),
            >= short.MinValue => ((byte)0xd1, 2),
            >= int.MinValue => ((byte)0xd2, 4),
            _ => ((byte)0xd3, 8),
        };
        Byte(output, code);
        Span<byte> digits = stackalloc byte[8];
        BinaryPrimitives.WriteInt64BigEndian(digits, value);
        output.Write(digits[^size..]);
    }

    private static void Text(ArrayBufferWriter<byte> output, string text)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(text);
        if (utf8.Length < 32)
        {
            Byte(output, (byte)(0xa0 | utf8.Length));
        }
        else
        {
            Byte(output, 0xdb);
            BinaryPrimitives.WriteInt32BigEndian(output.GetSpan(4), utf8.Length);
            output.Advance(4);
        }

        output.Write(utf8);
    }

    private static void Sized(ArrayBufferWriter<byte> output, byte small, byte large, int count)
    {
        if (count < 16)
        {
            Byte(output, (byte)(small | count));
            return;
        }

        Byte(output, (byte)(large + 1)); // The form with a size of 32 bits.
        BinaryPrimitives.WriteInt32BigEndian(output.GetSpan(4), count);
        output.Advance(4);
    }

    private static void Byte(ArrayBufferWriter<byte> output, byte value)
    {
        output.GetSpan(1)[0] = value;
        output.Advance(1);
    }
}
