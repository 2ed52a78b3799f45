using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace Ambrosia.Serialization;

/// <summary>
/// Reads MessagePack values from bytes that nobody vouches for: nesting is bounded, every count is checked against the bytes that are left
/// before anything is reserved for it, and whatever does not fit is a <see cref="MessagePackException"/> that names the offset.
/// </summary>
/// <param name="source">The bytes. Those after the last value read are left alone.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public ref struct MessagePackReader(ReadOnlySpan<byte> source)
{
    private MessagePackCursor _cursor = new(source);
    private readonly MessagePackLibrary? _library;

    internal MessagePackReader(ReadOnlySpan<byte> source, MessagePackLibrary library)
        : this(source) => _library = library;

    internal MessagePackReader(ReadOnlySpan<byte> source, int depth)
        : this(source) => _cursor.Depth = depth;

    /// <summary>What reads values that MessagePack-CSharp reads.</summary>
    internal readonly MessagePackLibrary Library => _library ?? MessagePackLibrary.Default;

    /// <summary>Values that the next one is within.</summary>
    internal readonly int Depth => _cursor.Depth;

    /// <summary>Bytes consumed so far.</summary>
    public readonly int Position => _cursor.Position;

    /// <summary>Bytes not consumed yet.</summary>
    public readonly ReadOnlySpan<byte> Remaining => _cursor.Remaining;

    /// <summary>The parameter or member being read, for error texts only: <c>Deposit.amount</c>. Default null.</summary>
    public string? Subject
    {
        readonly get => _cursor.Subject;
        set => _cursor.Subject = value;
    }

    /// <summary>Whether the next value is a null; it is consumed then.</summary>
    public bool TryReadNil()
    {
        if (_cursor.Peek() != MessagePackCode.Nil)
        {
            return false;
        }

        _cursor.Position++;
        return true;
    }

    /// <summary>A truth value.</summary>
    public bool ReadBoolean()
    {
        switch (_cursor.Peek())
        {
            case MessagePackCode.True:
                _cursor.Position++;
                return true;
            case MessagePackCode.False:
                _cursor.Position++;
                return false;
            default:
                _cursor.ThrowWrongType("a truth value");
                return false;
        }
    }

    /// <summary>Text.</summary>
    public string ReadString()
    {
        int start = _cursor.Position;
        ReadOnlySpan<byte> utf8 = ReadUtf8();
        try
        {
            return Utf8.Strict.GetString(utf8);
        }
        catch (DecoderFallbackException)
        {
            _cursor.ThrowInvalidText(start);
            return null;
        }
    }

    /// <summary>The bytes of a text, not checked to be valid UTF-8: to be compared with known names.</summary>
    public ReadOnlySpan<byte> ReadUtf8() => _cursor.ReadUtf8();

    /// <summary>The bytes of one value of any kind, which keeps within the limits and whose texts are valid.</summary>
    internal ReadOnlySpan<byte> ReadValue()
    {
        int start = _cursor.Position;
        MessagePackSkipper.SkipValid(ref _cursor);
        return _cursor.Since(start);
    }

    /// <summary>Refuses a null that stands next.</summary>
    /// <param name="expected">What belongs there instead.</param>
    internal readonly void RefuseNil(string expected)
    {
        if (_cursor.Peek() == MessagePackCode.Nil)
        {
            _cursor.ThrowWrongType(expected);
        }
    }

    /// <summary>
    /// Binary data in an array of its own. Not cleared before it is filled: of a large message that costs as much as the copy.
    /// </summary>
    internal byte[] ReadBinaryCopy()
    {
        ReadOnlySpan<byte> binary = ReadBinary();
        if (binary.IsEmpty)
        {
            return [];
        }

        byte[] copy = GC.AllocateUninitializedArray<byte>(binary.Length);
        binary.CopyTo(copy);
        return copy;
    }

    /// <summary>Binary data, in place: valid as long as the source is.</summary>
    public ReadOnlySpan<byte> ReadBinary() => _cursor.ReadBinary();

    /// <summary>The number of values in the array that starts here. Never more than bytes are left.</summary>
    public int ReadArrayHeader() => _cursor.ReadArrayHeader();

    /// <summary>Reads the start of an array that must have exactly so many values.</summary>
    public void ReadArrayHeader(int expected)
    {
        int start = _cursor.Position;
        int count = ReadArrayHeader();
        if (count != expected)
        {
            _cursor.Position = start;
            _cursor.Throw(MessagePackError.WrongType, $"{expected} values belong here, but there are {count}");
        }
    }

    /// <summary>The number of pairs in the map that starts here. Never more than the bytes that are left can hold.</summary>
    public int ReadMapHeader() => _cursor.ReadMapHeader();

    /// <summary>A signed integer, however it was written.</summary>
    public long ReadInt64()
    {
        int start = _cursor.Position;
        byte code = _cursor.Peek();
        if (code <= MessagePackCode.MaxPositiveFixInt)
        {
            _cursor.Position++;
            return code;
        }

        if (code >= MessagePackCode.MinNegativeFixInt)
        {
            _cursor.Position++;
            return unchecked((sbyte)code);
        }

        if (code is >= MessagePackCode.Int8 and <= MessagePackCode.Int64)
        {
            return _cursor.ReadSigned(code);
        }

        ulong value = _cursor.ReadUnsigned(code);
        if (value > long.MaxValue)
        {
            _cursor.Position = start;
            ThrowOutOfRange("Int64");
        }

        return (long)value;
    }

    /// <summary>An unsigned integer, however it was written.</summary>
    public ulong ReadUInt64()
    {
        int start = _cursor.Position;
        byte code = _cursor.Peek();
        if (code <= MessagePackCode.MaxPositiveFixInt)
        {
            _cursor.Position++;
            return code;
        }

        if (code is >= MessagePackCode.UInt8 and <= MessagePackCode.UInt64)
        {
            return _cursor.ReadUnsigned(code);
        }

        long value = ReadInt64();
        if (value < 0)
        {
            _cursor.Position = start;
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
        switch (_cursor.Peek())
        {
            case MessagePackCode.Float64:
                double value = BinaryPrimitives.ReadDoubleBigEndian(_cursor.Head(9)[1..]);
                _cursor.Position += 9;
                return value;
            case MessagePackCode.Float32:
                float narrow = BinaryPrimitives.ReadSingleBigEndian(_cursor.Head(5)[1..]);
                _cursor.Position += 5;
                return narrow;
            case MessagePackCode.UInt64:
                return ReadUInt64();
            default:
                return IsInteger(_cursor.Peek()) ? ReadInt64() : ThrowNotANumber();
        }
    }

    /// <summary>A 32-bit floating-point number; wider ones are rounded.</summary>
    public float ReadSingle()
    {
        if (_cursor.Peek() == MessagePackCode.Float32)
        {
            float value = BinaryPrimitives.ReadSingleBigEndian(_cursor.Head(5)[1..]);
            _cursor.Position += 5;
            return value;
        }

        return (float)ReadDouble();
    }

    /// <summary>A point in time, written as timestamp extension. Always UTC; fractions below 100 ns are cut.</summary>
    public DateTime ReadTimestamp()
    {
        int start = _cursor.Position;
        int type = _cursor.ReadExtension(out ReadOnlySpan<byte> body);
        if (!MessagePackTimestamp.Is(type, body.Length))
        {
            _cursor.Position = start;
            _cursor.Throw(MessagePackError.WrongType,
                $"a timestamp belongs here, but an extension of type {type} with {body.Length} bytes was found");
        }

        if (MessagePackTimestamp.Read(body) is { } time)
        {
            return time;
        }

        _cursor.Position = start;
        ThrowOutOfRange("DateTime");
        return default;
    }

    /// <summary>Consumes one value of any kind, with all that it holds. Needs no stack, however deep the value is.</summary>
    public void Skip() => MessagePackSkipper.Skip(ref _cursor);

    /// <summary>Goes one level down; formatters of everything that holds other values call it first.</summary>
    public void Enter() => _cursor.Enter();

    /// <summary>Comes back up.</summary>
    public void Leave() => _cursor.Depth--;

    /// <summary>Reports that the number or text just read is not a value of the declared type.</summary>
    [DoesNotReturn]
    public readonly void ThrowOutOfRange(string what) => _cursor.Throw(MessagePackError.OutOfRange, $"the value is not a valid {what}");

    /// <summary>Reports a member that was not among those sent.</summary>
    [DoesNotReturn]
    public readonly void ThrowMissing(string member) =>
        _cursor.Throw(MessagePackError.MissingMember, $"{member} is missing and has no default");

    /// <summary>Reports a union tag that the declaration does not list.</summary>
    [DoesNotReturn]
    public readonly void ThrowUnknownTag(string union, int tag) =>
        _cursor.Throw(MessagePackError.UnknownTag, $"{union} has no [Union] attribute with tag {tag}");

    private static bool IsInteger(byte code) => code is <= MessagePackCode.MaxPositiveFixInt or >= MessagePackCode.MinNegativeFixInt
        or >= MessagePackCode.UInt8 and <= MessagePackCode.Int64;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long ReadBetween(long min, long max, string type)
    {
        int start = _cursor.Position;
        long value = ReadInt64();
        if (value < min || value > max)
        {
            _cursor.Position = start;
            ThrowOutOfRange(type);
        }

        return value;
    }

    private readonly double ThrowNotANumber()
    {
        _cursor.ThrowWrongType("a number");
        return 0;
    }
}
