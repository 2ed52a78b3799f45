using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace Ambrosia.Inspection.Search;

/// <summary>
/// Looks for what a person typed in the bytes of arguments, without decoding them: as a part of any text, letters of ASCII in either case,
/// and as a number that stands by itself. Nothing is allocated for a message.
/// </summary>
internal sealed class ArgumentSearch
{
    private readonly byte[] _text;
    private readonly byte _lower;
    private readonly byte _upper;
    private readonly double? _number;

    public ArgumentSearch(string text)
    {
        _text = Encoding.UTF8.GetBytes(text.ToLowerInvariant());
        (_lower, _upper) = (_text[0], (byte)char.ToUpperInvariant((char)_text[0]));
        if (_lower > 0x7f)
        {
            _upper = _lower;
        }

        _number = double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double number) ? number : null;
    }

    /// <summary>Whether arguments hold it.</summary>
    public bool IsIn(ReadOnlySpan<byte> body)
    {
        bool holdsNumber = ReadValue(body, out int end);
        return holdsNumber || HoldsText(body[..end]);
    }

    private bool HoldsText(ReadOnlySpan<byte> body)
    {
        while (body.Length >= _text.Length)
        {
            int at = body[..(body.Length - _text.Length + 1)].IndexOfAny(_lower, _upper);
            if (at < 0)
            {
                return false;
            }

            if (IsText(body.Slice(at, _text.Length)))
            {
                return true;
            }

            body = body[(at + 1)..];
        }

        return false;
    }

    private bool IsText(ReadOnlySpan<byte> part)
    {
        for (int i = 0; i < part.Length; i++)
        {
            byte letter = part[i] is >= (byte)'A' and <= (byte)'Z' ? (byte)(part[i] | 0x20) : part[i];
            if (letter != _text[i])
            {
                return false;
            }
        }

        return true;
    }

    // Arguments are one array of MessagePack; what a binding put behind it is no argument. Whatever begins otherwise is searched to its
    // end.
    private bool ReadValue(ReadOnlySpan<byte> body, out int end)
    {
        bool found = false;
        long open = !body.IsEmpty && (body[0] is (>= 0x90 and <= 0x9f) or 0xdc or 0xdd) ? 1 : long.MaxValue;
        for (end = 0; open > 0 && end < body.Length; open--)
        {
            byte code = body[end];
            ReadOnlySpan<byte> rest = body[(end + 1)..];
            (int header, int skip) = Sizes(code, rest);
            if (skip < 0 || header + skip > rest.Length)
            {
                break;
            }

            found |= _number is { } number && ValueOf(code, rest) is { } value && value.Equals(number);
            open += Contained(code, rest);
            end += 1 + header + skip;
        }

        if (open > 0)
        {
            end = body.Length;
        }

        return found;
    }

    // Values that stand in an array or a map.
    private static long Contained(byte code, ReadOnlySpan<byte> rest) => code switch
    {
        >= 0x80 and <= 0x8f => 2 * (code & 0x0f),
        >= 0x90 and <= 0x9f => code & 0x0f,
        0xdc => BinaryPrimitives.ReadUInt16BigEndian(rest),
        0xdd => BinaryPrimitives.ReadUInt32BigEndian(rest),
        0xde => 2 * BinaryPrimitives.ReadUInt16BigEndian(rest),
        0xdf => 2L * BinaryPrimitives.ReadUInt32BigEndian(rest),
        _ => 0,
    };

    // Bytes of the size field behind a code, and bytes of content behind that.
    private static (int Header, int Skip) Sizes(byte code, ReadOnlySpan<byte> rest) => code switch
    {
        >= 0xa0 and <= 0xbf => (0, code & 0x1f),
        0xc4 or 0xd9 => (1, Size(rest, 1)),
        0xc5 or 0xda => (2, Size(rest, 2)),
        0xc6 or 0xdb => (4, Size(rest, 4)),
        0xc7 => (1, Size(rest, 1) + 1),
        0xc8 => (2, Size(rest, 2) + 1),
        0xc9 => (4, Size(rest, 4) + 1),
        >= 0xd4 and <= 0xd8 => (0, (1 << (code - 0xd4)) + 1),
        0xdc or 0xde => (2, 0),
        0xdd or 0xdf => (4, 0),
        0xcc or 0xd0 => (1, 0),
        0xcd or 0xd1 => (2, 0),
        0xca or 0xce or 0xd2 => (4, 0),
        0xcb or 0xcf or 0xd3 => (8, 0),
        _ => (0, 0),
    };

    private static int Size(ReadOnlySpan<byte> rest, int length)
    {
        if (rest.Length < length)
        {
            return -2;
        }

        uint size = length switch
            { 1 => rest[0], 2 => BinaryPrimitives.ReadUInt16BigEndian(rest), _ => BinaryPrimitives.ReadUInt32BigEndian(rest) };
        return size > int.MaxValue / 2 ? -2 : (int)size;
    }

    private static double? ValueOf(byte code, ReadOnlySpan<byte> rest) => code switch
    {
        <= 0x7f => code,
        >= 0xe0 => (sbyte)code,
        0xca => BinaryPrimitives.ReadSingleBigEndian(rest),
        0xcb => BinaryPrimitives.ReadDoubleBigEndian(rest),
        0xcc => rest[0],
        0xcd => BinaryPrimitives.ReadUInt16BigEndian(rest),
        0xce => BinaryPrimitives.ReadUInt32BigEndian(rest),
        0xcf => BinaryPrimitives.ReadUInt64BigEndian(rest),
        0xd0 => (sbyte)rest[0],
        0xd1 => BinaryPrimitives.ReadInt16BigEndian(rest),
        0xd2 => BinaryPrimitives.ReadInt32BigEndian(rest),
        0xd3 => BinaryPrimitives.ReadInt64BigEndian(rest),
        _ => null,
    };
}
