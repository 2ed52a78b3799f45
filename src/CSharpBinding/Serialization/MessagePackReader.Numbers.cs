using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Ambrosia.Serialization;

[EditorBrowsable(EditorBrowsableState.Never)]
public ref partial struct MessagePackReader
{
    /// <summary>A signed integer, however it was written.</summary>
    public long ReadInt64()
    {
        int start = _position;
        byte code = Peek();
        if (code <= MessagePackCode.MaxPositiveFixInt)
        {
            _position++;
            return code;
        }

        if (code >= MessagePackCode.MinNegativeFixInt)
        {
            _position++;
            return unchecked((sbyte)code);
        }

        if (code is >= MessagePackCode.Int8 and <= MessagePackCode.Int64)
        {
            return ReadSigned(code);
        }

        ulong value = ReadUnsigned(code);
        if (value > long.MaxValue)
        {
            _position = start;
            ThrowOutOfRange("Int64");
        }

        return (long)value;
    }

    /// <summary>An unsigned integer, however it was written.</summary>
    public ulong ReadUInt64()
    {
        int start = _position;
        byte code = Peek();
        if (code <= MessagePackCode.MaxPositiveFixInt)
        {
            _position++;
            return code;
        }

        if (code is >= MessagePackCode.UInt8 and <= MessagePackCode.UInt64)
        {
            return ReadUnsigned(code);
        }

        long value = ReadInt64();
        if (value < 0)
        {
            _position = start;
            ThrowOutOfRange("UInt64");
        }

        return (ulong)value;
    }

    /// <summary>An integer that fits 32 signed bits.</summary>
    public int ReadInt32() => (int)ReadBetween(int.MinValue, int.MaxValue, "Int32");

    /// <summary>An integer that fits 32 unsigned bits.</summary>
    public uint ReadUInt32() => (uint)ReadBetween(0, uint.MaxValue, "UInt32");

    /// <summary>An integer that fits 16 signed bits.</summary>
    public short ReadInt16() => (short)ReadBetween(short.MinValue, short.MaxValue, "Int16");

    /// <summary>An integer that fits 16 unsigned bits.</summary>
    public ushort ReadUInt16() => (ushort)ReadBetween(0, ushort.MaxValue, "UInt16");

    /// <summary>An integer that fits 8 signed bits.</summary>
    public sbyte ReadSByte() => (sbyte)ReadBetween(sbyte.MinValue, sbyte.MaxValue, "SByte");

    /// <summary>An integer that fits 8 unsigned bits.</summary>
    public byte ReadByte() => (byte)ReadBetween(0, byte.MaxValue, "Byte");

    /// <summary>A floating-point number; integers and 32-bit numbers are widened, as other languages write 1.0 as 1.</summary>
    public double ReadDouble()
    {
        switch (Peek())
        {
            case MessagePackCode.Float64:
                double value = BinaryPrimitives.ReadDoubleBigEndian(Head(9)[1..]);
                _position += 9;
                return value;
            case MessagePackCode.Float32:
                float narrow = BinaryPrimitives.ReadSingleBigEndian(Head(5)[1..]);
                _position += 5;
                return narrow;
            case MessagePackCode.UInt64:
                return ReadUInt64();
            default:
                return IsInteger(Peek()) ? ReadInt64() : ThrowNotANumber();
        }
    }

    /// <summary>A 32-bit floating-point number; wider ones are rounded.</summary>
    public float ReadSingle()
    {
        if (Peek() == MessagePackCode.Float32)
        {
            float value = BinaryPrimitives.ReadSingleBigEndian(Head(5)[1..]);
            _position += 5;
            return value;
        }

        return (float)ReadDouble();
    }

    /// <summary>A point in time, written as timestamp extension. Always UTC; fractions below 100 ns are cut.</summary>
    public DateTime ReadTimestamp()
    {
        int start = _position;
        int type = ReadExtension(out ReadOnlySpan<byte> body);
        if (type != MessagePackCode.Timestamp || body.Length is not (4 or 8 or 12))
        {
            _position = start;
            Throw(MessagePackError.WrongType,
                $"a timestamp belongs here, but an extension of type {type} with {body.Length} bytes was found");
        }

        (long seconds, uint nanoseconds) = body.Length switch
        {
            4 => (BinaryPrimitives.ReadUInt32BigEndian(body), 0u),
            8 => Split(BinaryPrimitives.ReadUInt64BigEndian(body)),
            _ => (BinaryPrimitives.ReadInt64BigEndian(body[4..]), BinaryPrimitives.ReadUInt32BigEndian(body)),
        };
        if (nanoseconds > 999_999_999 || seconds < DateTimeOffset.MinValue.ToUnixTimeSeconds()
            || seconds > DateTimeOffset.MaxValue.ToUnixTimeSeconds())
        {
            _position = start;
            ThrowOutOfRange("DateTime");
        }

        return DateTime.UnixEpoch.AddTicks((seconds * TimeSpan.TicksPerSecond) + (nanoseconds / 100));
    }

    /// <summary>Consumes one value of any kind, with all that it holds. Needs no stack, however deep the value is.</summary>
    public void Skip()
    {
        // Every announced value needs a byte at least, which each header has checked: the loop ends.
        for (long values = 1; values > 0; values--)
        {
            byte code = Peek();
            switch (code)
            {
                case <= MessagePackCode.MaxPositiveFixInt or >= MessagePackCode.MinNegativeFixInt:
                case MessagePackCode.Nil or MessagePackCode.False or MessagePackCode.True:
                    _position++;
                    break;
                case < MessagePackCode.FixArray or MessagePackCode.Map16 or MessagePackCode.Map32:
                    values += 2L * ReadMapHeader();
                    break;
                case < MessagePackCode.FixStr or MessagePackCode.Array16 or MessagePackCode.Array32:
                    values += ReadArrayHeader();
                    break;
                case < MessagePackCode.Nil or MessagePackCode.Str8 or MessagePackCode.Str16 or MessagePackCode.Str32:
                    ReadUtf8();
                    break;
                case MessagePackCode.Bin8 or MessagePackCode.Bin16 or MessagePackCode.Bin32:
                    ReadBinary();
                    break;
                case MessagePackCode.Float32 or MessagePackCode.Float64:
                    ReadDouble();
                    break;
                case >= MessagePackCode.UInt8 and <= MessagePackCode.UInt64:
                    ReadUnsigned(code);
                    break;
                case >= MessagePackCode.Int8 and <= MessagePackCode.Int64:
                    ReadSigned(code);
                    break;
                case MessagePackCode.NeverUsed:
                    ThrowWrongType("a value");
                    break;
                default:
                    ReadExtension(out _);
                    break;
            }
        }
    }

    // Other than Skip, for what is handed on: nesting is counted, so that it is bounded by the limit and needs no more stack than that.
    private void SkipValue()
    {
        byte code = Peek();
        bool isMap = code is >= MessagePackCode.FixMap and < MessagePackCode.FixArray or MessagePackCode.Map16 or MessagePackCode.Map32;
        if (isMap || code is >= MessagePackCode.FixArray and < MessagePackCode.FixStr or MessagePackCode.Array16 or MessagePackCode.Array32)
        {
            Enter();
            for (long left = isMap ? 2L * ReadMapHeader() : ReadArrayHeader(); left > 0; left--)
            {
                SkipValue();
            }

            Leave();
            return;
        }

        int start = _position;
        if (code is not (>= MessagePackCode.FixStr and < MessagePackCode.Nil or >= MessagePackCode.Str8 and <= MessagePackCode.Str32))
        {
            Skip();
        }
        else if (!System.Text.Unicode.Utf8.IsValid(ReadUtf8()))
        {
            _position = start;
            Throw(MessagePackError.InvalidText, "the text is not valid UTF-8");
        }
    }

    private static bool IsInteger(byte code) => code is <= MessagePackCode.MaxPositiveFixInt or >= MessagePackCode.MinNegativeFixInt
        or >= MessagePackCode.UInt8 and <= MessagePackCode.Int64;

    private static (long Seconds, uint Nanoseconds) Split(ulong value) => ((long)(value & 0x3_ffff_ffff), (uint)(value >> 34));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long ReadBetween(long min, long max, string type)
    {
        int start = _position;
        long value = ReadInt64();
        if (value < min || value > max)
        {
            _position = start;
            ThrowOutOfRange(type);
        }

        return value;
    }

    private long ReadSigned(byte code)
    {
        int size = 1 << (code - MessagePackCode.Int8);
        ReadOnlySpan<byte> digits = Head(1 + size)[1..];
        long value = size switch
        {
            1 => unchecked((sbyte)digits[0]),
            2 => BinaryPrimitives.ReadInt16BigEndian(digits),
            4 => BinaryPrimitives.ReadInt32BigEndian(digits),
            _ => BinaryPrimitives.ReadInt64BigEndian(digits),
        };
        _position += 1 + size;
        return value;
    }

    private ulong ReadUnsigned(byte code)
    {
        if (code is not (>= MessagePackCode.UInt8 and <= MessagePackCode.UInt64))
        {
            ThrowWrongType("an integer");
        }

        int size = 1 << (code - MessagePackCode.UInt8);
        ReadOnlySpan<byte> digits = Head(1 + size)[1..];
        ulong value = size switch
        {
            1 => digits[0],
            2 => BinaryPrimitives.ReadUInt16BigEndian(digits),
            4 => BinaryPrimitives.ReadUInt32BigEndian(digits),
            _ => BinaryPrimitives.ReadUInt64BigEndian(digits),
        };
        _position += 1 + size;
        return value;
    }

    private int ReadExtension(out ReadOnlySpan<byte> body)
    {
        byte code = Peek();
        (int headSize, long size) = code switch
        {
            >= MessagePackCode.FixExt1 and <= MessagePackCode.FixExt16 => (2, 1L << (code - MessagePackCode.FixExt1)),
            MessagePackCode.Ext8 => (3, Head(3)[1]),
            MessagePackCode.Ext16 => (4, BinaryPrimitives.ReadUInt16BigEndian(Head(4)[1..])),
            MessagePackCode.Ext32 => (6, BinaryPrimitives.ReadUInt32BigEndian(Head(6)[1..])),
            _ => (0, 0),
        };
        if (headSize == 0)
        {
            ThrowWrongType("a timestamp");
        }

        int type = unchecked((sbyte)Head(headSize)[headSize - 1]);
        body = Body(headSize, size);
        return type;
    }

    private readonly double ThrowNotANumber()
    {
        ThrowWrongType("a number");
        return 0;
    }
}
