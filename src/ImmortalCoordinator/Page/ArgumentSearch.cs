using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace Ambrosia.ImmortalCoordinator.Page;

/// <summary>
/// Looks for what a person typed in the bytes of arguments, without decoding them: as a part of any text, letters of ASCII in either case, and as a number that stands by itself.
/// Nothing is allocated for a message.
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
    public bool IsIn(ReadOnlySpan<byte> body) => HoldsText(body) || (_number is { } number && HoldsNumber(body, number));

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

    // MessagePack can be walked without knowing what contains what: headers of arrays and maps are passed over like any value.
    private static bool HoldsNumber(ReadOnlySpan<byte> body, double number)
    {
        while (!body.IsEmpty)
        {
            byte code = body[0];
            body = body[1..];
            (int header, int skip) = Sizes(code, body);
            if (header + skip > body.Length || skip < 0)
            {
                return false; // Cut, or no MessagePack.
            }

            if (ValueOf(code, body) is { } value && value.Equals(number))
            {
                return true;
            }

            body = body[(header + skip)..];
        }

        return false;
    }

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

        uint size = length switch { 1 => rest[0], 2 => BinaryPrimitives.ReadUInt16BigEndian(rest), _ => BinaryPrimitives.ReadUInt32BigEndian(rest) };
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
