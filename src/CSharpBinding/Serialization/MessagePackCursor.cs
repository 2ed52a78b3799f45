using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Ambrosia.Serialization;

/// <summary>
/// A place in bytes that nobody vouches for: looks at the first byte of the value that stands there, takes its head and body if they are
/// there as a whole, and says what is wrong with it. It moves past a value only when all of it is taken.
/// </summary>
/// <param name="source">The bytes.</param>
internal ref struct MessagePackCursor(ReadOnlySpan<byte> source)
{
    private readonly ReadOnlySpan<byte> _source = source;

    /// <summary>Bytes consumed so far. Set back before a value is refused that was consumed.</summary>
    public int Position;

    /// <summary>What is being read, for error texts only.</summary>
    public string? Subject;

    /// <summary>Values that the next one is within.</summary>
    public int Depth;

    /// <summary>Bytes not consumed yet.</summary>
    public readonly ReadOnlySpan<byte> Remaining => _source[Position..];

    /// <summary>The bytes from an earlier place up to here.</summary>
    public readonly ReadOnlySpan<byte> Since(int start) => _source[start..Position];

    /// <summary>The first byte of the value, not consumed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly byte Peek()
    {
        if ((uint)Position >= (uint)_source.Length)
        {
            ThrowTruncated();
        }

        return _source[Position];
    }

    /// <summary>The first bytes of the value, not consumed.</summary>
    public readonly ReadOnlySpan<byte> Head(int size)
    {
        if (_source.Length - Position < size)
        {
            ThrowTruncated();
        }

        return _source.Slice(Position, size);
    }

    /// <summary>The bytes of a text, not checked to be valid UTF-8: to be compared with known names.</summary>
    public ReadOnlySpan<byte> ReadUtf8()
    {
        byte code = Peek();
        if (code is >= MessagePackCode.FixStr and < MessagePackCode.Nil)
        {
            return Body(1, code & 0x1f);
        }

        switch (code)
        {
            case MessagePackCode.Str8:
                return Body(2, Head(2)[1]);
            case MessagePackCode.Str16:
                return Body(3, BinaryPrimitives.ReadUInt16BigEndian(Head(3)[1..]));
            case MessagePackCode.Str32:
                return Body(5, BinaryPrimitives.ReadUInt32BigEndian(Head(5)[1..]));
            default:
                ThrowWrongType("text");
                return default;
        }
    }

    /// <summary>Binary data, in place: valid as long as the source is.</summary>
    public ReadOnlySpan<byte> ReadBinary()
    {
        switch (Peek())
        {
            case MessagePackCode.Bin8:
                return Body(2, Head(2)[1]);
            case MessagePackCode.Bin16:
                return Body(3, BinaryPrimitives.ReadUInt16BigEndian(Head(3)[1..]));
            case MessagePackCode.Bin32:
                return Body(5, BinaryPrimitives.ReadUInt32BigEndian(Head(5)[1..]));
            default:
                ThrowWrongType("binary data");
                return default;
        }
    }

    /// <summary>The number of values in the array that starts here. Never more than bytes are left.</summary>
    public int ReadArrayHeader()
    {
        byte code = Peek();
        if (code is >= MessagePackCode.FixArray and < MessagePackCode.FixStr)
        {
            return Count(1, code & 0x0f, bytesEach: 1);
        }

        switch (code)
        {
            case MessagePackCode.Array16:
                return Count(3, BinaryPrimitives.ReadUInt16BigEndian(Head(3)[1..]), bytesEach: 1);
            case MessagePackCode.Array32:
                return Count(5, BinaryPrimitives.ReadUInt32BigEndian(Head(5)[1..]), bytesEach: 1);
            default:
                ThrowWrongType("an array");
                return 0;
        }
    }

    /// <summary>The number of pairs in the map that starts here. Never more than the bytes that are left can hold.</summary>
    public int ReadMapHeader()
    {
        byte code = Peek();
        if (code is >= MessagePackCode.FixMap and < MessagePackCode.FixArray)
        {
            return Count(1, code & 0x0f, bytesEach: 2);
        }

        switch (code)
        {
            case MessagePackCode.Map16:
                return Count(3, BinaryPrimitives.ReadUInt16BigEndian(Head(3)[1..]), bytesEach: 2);
            case MessagePackCode.Map32:
                return Count(5, BinaryPrimitives.ReadUInt32BigEndian(Head(5)[1..]), bytesEach: 2);
            default:
                ThrowWrongType("a map");
                return 0;
        }
    }

    /// <summary>Consumes a value of which the first byte says how long it is.</summary>
    public void Step(int size)
    {
        Head(size);
        Position += size;
    }

    /// <summary>Consumes the integer that this first byte, of one with a sign, announces.</summary>
    public long ReadSigned(byte code)
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
        Position += 1 + size;
        return value;
    }

    /// <summary>Consumes the integer that this first byte announces; refuses any that announces none without a sign.</summary>
    public ulong ReadUnsigned(byte code)
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
        Position += 1 + size;
        return value;
    }

    /// <summary>Consumes an extension value and returns its type.</summary>
    public int ReadExtension(out ReadOnlySpan<byte> body)
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

    /// <summary>Goes one level down.</summary>
    public void Enter()
    {
        if (++Depth > MessagePackLimits.MaxDepth)
        {
            Throw(MessagePackError.TooDeep, $"values are nested deeper than {MessagePackLimits.MaxDepth}");
        }
    }

    /// <summary>Refuses the text that begins at an earlier place.</summary>
    [DoesNotReturn]
    public void ThrowInvalidText(int start)
    {
        Position = start;
        Throw(MessagePackError.InvalidText, "the text is not valid UTF-8");
    }

    /// <summary>Refuses the value that stands here.</summary>
    /// <param name="expected">What belongs there instead.</param>
    [DoesNotReturn]
    public readonly void ThrowWrongType(string expected)
    {
        byte code = _source[Position];
        if (code == MessagePackCode.Nil)
        {
            Throw(MessagePackError.UnexpectedNull, $"null stands where {expected} belongs");
        }

        Throw(MessagePackError.WrongType, $"{expected} belongs here, but {MessagePackCode.Describe(code)} was found");
    }

    /// <summary>Refuses what stands here.</summary>
    [DoesNotReturn]
    public readonly void Throw(MessagePackError error, string problem) => throw new MessagePackException(error, Position, Subject, problem);

    [DoesNotReturn]
    private readonly void ThrowTruncated() => Throw(MessagePackError.Truncated, "the bytes end inside a value");

    private ReadOnlySpan<byte> Body(int headSize, long size)
    {
        if (_source.Length - Position - headSize < size)
        {
            Throw(MessagePackError.CountExceedsData, $"{size} bytes are announced, but {_source.Length - Position - headSize} are left");
        }

        ReadOnlySpan<byte> body = _source.Slice(Position + headSize, (int)size);
        Position += headSize + (int)size;
        return body;
    }

    private int Count(int headSize, long count, int bytesEach)
    {
        int left = _source.Length - Position - headSize;
        if (left < count * bytesEach)
        {
            Throw(MessagePackError.CountExceedsData, $"{count} elements are announced, but only {left} bytes are left");
        }

        Position += headSize;
        return (int)count;
    }
}
