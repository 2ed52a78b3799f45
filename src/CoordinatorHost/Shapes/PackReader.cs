using System.Buffers.Binary;
using System.Numerics;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Reads MessagePack that an app wrote, whatever it holds. Counts are checked against the bytes that are left.</summary>
internal ref struct PackReader(ReadOnlySpan<byte> bytes)
{
    private const int MaxDepth = 64;
    private readonly ReadOnlySpan<byte> _bytes = bytes;
    private int _at;

    /// <summary>How many bytes are left.</summary>
    public readonly int Left => _bytes.Length - _at;

    /// <summary>The byte that says what comes next.</summary>
    public readonly byte Next => Left > 0 ? _bytes[_at] : throw new PackException("the bytes end");

    /// <summary>What kind of value comes next.</summary>
    public readonly PackKind Kind => Next switch
    {
        <= 0x7f or >= 0xe0 or (>= 0xcc and <= 0xd3) => PackKind.Integer,
        <= 0x8f or 0xde or 0xdf => PackKind.Map,
        <= 0x9f or 0xdc or 0xdd => PackKind.Array,
        <= 0xbf or (>= 0xd9 and <= 0xdb) => PackKind.Text,
        0xc0 => PackKind.Nil,
        0xc2 or 0xc3 => PackKind.Bool,
        >= 0xc4 and <= 0xc6 => PackKind.Binary,
        0xca or 0xcb => PackKind.Float,
        0xc1 => throw new PackException("c1 stands for nothing"),
        _ => PackKind.Extension,
    };

    /// <summary>How many arguments there are, if all the bytes are one array of them.</summary>
    /// <param name="bytes">The bytes; none at all are no arguments.</param>
    /// <exception cref="PackException">They are no such array.</exception>
    public static int Arguments(ReadOnlySpan<byte> bytes)
    {
        var reader = new PackReader(bytes);
        int count = bytes.IsEmpty ? 0 : reader.Array();
        for (int i = 0; i < count; i++)
        {
            reader.Skip(1);
        }

        return reader.Left == 0 ? count : throw new PackException("bytes follow the array");
    }

    /// <summary>Looks whether all the bytes are one value.</summary>
    /// <exception cref="PackException">They are not.</exception>
    public static void RequireOne(ReadOnlySpan<byte> bytes)
    {
        var reader = new PackReader(bytes);
        reader.Skip(1);
        if (reader.Left > 0)
        {
            throw new PackException("bytes follow the value");
        }
    }

    public bool TryNil()
    {
        if (Next != 0xc0)
        {
            return false;
        }

        _at++;
        return true;
    }

    public bool Bool()
    {
        Expect(PackKind.Bool);
        return _bytes[_at++] == 0xc3;
    }

    public BigInteger Integer()
    {
        Expect(PackKind.Integer);
        byte code = _bytes[_at++];
        return code switch
        {
            <= 0x7f => code,
            >= 0xe0 => (sbyte)code,
            0xcc => Take(1)[0],
            0xcd => BinaryPrimitives.ReadUInt16BigEndian(Take(2)),
            0xce => BinaryPrimitives.ReadUInt32BigEndian(Take(4)),
            0xcf => BinaryPrimitives.ReadUInt64BigEndian(Take(8)),
            0xd0 => (sbyte)Take(1)[0],
            0xd1 => BinaryPrimitives.ReadInt16BigEndian(Take(2)),
            0xd2 => BinaryPrimitives.ReadInt32BigEndian(Take(4)),
            _ => BinaryPrimitives.ReadInt64BigEndian(Take(8)),
        };
    }

    /// <summary>An integer of 64 bits with a sign.</summary>
    public long Int64()
    {
        BigInteger value = Integer();
        return value >= long.MinValue && value <= long.MaxValue ? (long)value : throw new PackException("an integer is too large");
    }

    /// <summary>A float, or an integer in its place.</summary>
    public double Float()
    {
        if (Kind == PackKind.Integer)
        {
            return (double)Integer();
        }

        Expect(PackKind.Float);
        return _bytes[_at++] == 0xca ? BinaryPrimitives.ReadSingleBigEndian(Take(4)) : BinaryPrimitives.ReadDoubleBigEndian(Take(8));
    }

    /// <summary>Whether the next float has 32 bits.</summary>
    public readonly bool IsSingle => Next == 0xca;

    public ReadOnlySpan<byte> Text()
    {
        Expect(PackKind.Text);
        byte code = _bytes[_at++];
        ReadOnlySpan<byte> text = Take(code <= 0xbf ? code & 0x1f : Size(code - 0xd9));
        return System.Text.Unicode.Utf8.IsValid(text) ? text : throw new PackException("a text is not UTF-8");
    }

    public ReadOnlySpan<byte> Binary()
    {
        Expect(PackKind.Binary);
        return Take(Size(_bytes[_at++] - 0xc4));
    }

    public int Array()
    {
        Expect(PackKind.Array);
        byte code = _bytes[_at++];
        return Count(code <= 0x9f ? code & 0x0f : Size(code - 0xdb), 1);
    }

    public int Map()
    {
        Expect(PackKind.Map);
        byte code = _bytes[_at++];
        return Count(code <= 0x8f ? code & 0x0f : Size(code - 0xdd), 2);
    }

    public ReadOnlySpan<byte> Extension(out sbyte type)
    {
        Expect(PackKind.Extension);
        byte code = _bytes[_at++];
        int size = code >= 0xd4 ? 1 << (code - 0xd4) : Size(code - 0xc7);
        type = (sbyte)Take(1)[0];
        return Take(size);
    }

    /// <summary>Ticks of a time in MessagePack's own form.</summary>
    public long Time()
    {
        ReadOnlySpan<byte> data = Extension(out sbyte type);
        (long seconds, uint nanoseconds) = (type, data.Length) switch
        {
            (-1, 4) => (BinaryPrimitives.ReadUInt32BigEndian(data), 0u),
            (-1, 8) => (
                (long)(BinaryPrimitives.ReadUInt64BigEndian(data) & 0x3_FFFF_FFFF),
                (uint)(BinaryPrimitives.ReadUInt64BigEndian(data) >> 34)),
            (-1, 12) => (BinaryPrimitives.ReadInt64BigEndian(data[4..]), BinaryPrimitives.ReadUInt32BigEndian(data)),
            _ => throw new PackException("an extension that is no time"),
        };
        return seconds is >= -62_135_596_800 and <= 253_402_300_799 && nanoseconds < 1_000_000_000
            ? DateTime.UnixEpoch.Ticks + (seconds * TimeSpan.TicksPerSecond) + (nanoseconds / 100)
            : throw new PackException("a time before the year 1 or after the year 9999");
    }

    private void Skip(int depth)
    {
        if (depth > MaxDepth)
        {
            throw new PackException("values are nested too deeply");
        }

        PackKind kind = Kind;
        switch (kind)
        {
            case PackKind.Array or PackKind.Map:
                for (long left = kind == PackKind.Array ? Array() : 2L * Map(); left > 0; left--)
                {
                    Skip(depth + 1);
                }

                break;
            case PackKind.Text:
                Text();
                break;
            case PackKind.Binary:
                Binary();
                break;
            case PackKind.Extension:
                Extension(out _);
                break;
            default:
                Take(Next switch
                {
                    0xcc or 0xd0 => 2,
                    0xcd or 0xd1 => 3,
                    0xce or 0xd2 or 0xca => 5,
                    0xcf or 0xd3 or 0xcb => 9,
                    _ => 1,
                });
                break;
        }
    }

    private readonly void Expect(PackKind kind)
    {
        if (Kind != kind)
        {
            throw new PackException($"{Kind} stands where {kind} belongs");
        }
    }

    // Sizes of 1, 2 and 4 bytes.
    private int Size(int power)
    {
        ReadOnlySpan<byte> digits = Take(1 << power);
        uint size = 0;
        foreach (byte digit in digits)
        {
            size = (size << 8) | digit;
        }

        return size <= int.MaxValue ? (int)size : throw new PackException("a size is too large");
    }

    private readonly int Count(int count, int least) =>
        count <= Left / least ? count : throw new PackException($"{count} elements are announced, and the bytes end before");

    private ReadOnlySpan<byte> Take(int size)
    {
        if (size > Left)
        {
            throw new PackException("the bytes end");
        }

        ReadOnlySpan<byte> taken = _bytes.Slice(_at, size);
        _at += size;
        return taken;
    }
}
