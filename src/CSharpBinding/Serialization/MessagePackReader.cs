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
public ref partial struct MessagePackReader(ReadOnlySpan<byte> source)
{
    private readonly ReadOnlySpan<byte> _source = source;
    private int _position;
    private int _depth;
    private readonly MessagePackLibrary? _library;

    internal MessagePackReader(ReadOnlySpan<byte> source, MessagePackLibrary library)
        : this(source) => _library = library;

    internal MessagePackReader(ReadOnlySpan<byte> source, int depth)
        : this(source) => _depth = depth;

    /// <summary>What reads values that MessagePack-CSharp reads.</summary>
    internal readonly MessagePackLibrary Library => _library ?? MessagePackLibrary.Default;

    /// <summary>Values that the next one is within.</summary>
    internal readonly int Depth => _depth;

    /// <summary>Bytes consumed so far.</summary>
    public readonly int Position => _position;

    /// <summary>Bytes not consumed yet.</summary>
    public readonly ReadOnlySpan<byte> Remaining => _source[_position..];

    /// <summary>The parameter or member being read, for error texts only: <c>Deposit.amount</c>. Default null.</summary>
    public string? Subject { readonly get; set; }

    /// <summary>Whether the next value is a null; it is consumed then.</summary>
    public bool TryReadNil()
    {
        if (Peek() != MessagePackCode.Nil)
        {
            return false;
        }

        _position++;
        return true;
    }

    /// <summary>A truth value.</summary>
    public bool ReadBoolean()
    {
        switch (Peek())
        {
            case MessagePackCode.True:
                _position++;
                return true;
            case MessagePackCode.False:
                _position++;
                return false;
            default:
                ThrowWrongType("a truth value");
                return false;
        }
    }

    /// <summary>Text.</summary>
    public string ReadString()
    {
        int start = _position;
        ReadOnlySpan<byte> utf8 = ReadUtf8();
        try
        {
            return Utf8.Strict.GetString(utf8);
        }
        catch (DecoderFallbackException)
        {
            _position = start;
            Throw(MessagePackError.InvalidText, "the text is not valid UTF-8");
            return null;
        }
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

    /// <summary>The bytes of one value of any kind, which keeps within the limits and whose texts are valid.</summary>
    internal ReadOnlySpan<byte> ReadValue()
    {
        int start = _position;
        SkipValue();
        return _source[start.._position];
    }

    /// <summary>Refuses a null that stands next.</summary>
    /// <param name="expected">What belongs there instead.</param>
    internal readonly void RefuseNil(string expected)
    {
        if (Peek() == MessagePackCode.Nil)
        {
            ThrowWrongType(expected);
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

    /// <summary>Reads the start of an array that must have exactly so many values.</summary>
    public void ReadArrayHeader(int expected)
    {
        int start = _position;
        int count = ReadArrayHeader();
        if (count != expected)
        {
            _position = start;
            Throw(MessagePackError.WrongType, $"{expected} values belong here, but there are {count}");
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

    /// <summary>Goes one level down; formatters of everything that holds other values call it first.</summary>
    public void Enter()
    {
        if (++_depth > MessagePackLimits.MaxDepth)
        {
            Throw(MessagePackError.TooDeep, $"values are nested deeper than {MessagePackLimits.MaxDepth}");
        }
    }

    /// <summary>Comes back up.</summary>
    public void Leave() => _depth--;

    /// <summary>Reports that the number or text just read is not a value of the declared type.</summary>
    [DoesNotReturn]
    public readonly void ThrowOutOfRange(string what) => Throw(MessagePackError.OutOfRange, $"the value is not a valid {what}");

    /// <summary>Reports a member that was not among those sent.</summary>
    [DoesNotReturn]
    public readonly void ThrowMissing(string member) => Throw(MessagePackError.MissingMember, $"{member} is missing and has no default");

    /// <summary>Reports a union tag that the declaration does not list.</summary>
    [DoesNotReturn]
    public readonly void ThrowUnknownTag(string union, int tag) =>
        Throw(MessagePackError.UnknownTag, $"{union} has no [Union] attribute with tag {tag}");

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly byte Peek()
    {
        if ((uint)_position >= (uint)_source.Length)
        {
            ThrowTruncated();
        }

        return _source[_position];
    }

    /// <summary>The first bytes of the value, not consumed.</summary>
    private readonly ReadOnlySpan<byte> Head(int size)
    {
        if (_source.Length - _position < size)
        {
            ThrowTruncated();
        }

        return _source.Slice(_position, size);
    }

    private ReadOnlySpan<byte> Body(int headSize, long size)
    {
        if (_source.Length - _position - headSize < size)
        {
            Throw(MessagePackError.CountExceedsData, $"{size} bytes are announced, but {_source.Length - _position - headSize} are left");
        }

        ReadOnlySpan<byte> body = _source.Slice(_position + headSize, (int)size);
        _position += headSize + (int)size;
        return body;
    }

    private int Count(int headSize, long count, int bytesEach)
    {
        int left = _source.Length - _position - headSize;
        if (left < count * bytesEach)
        {
            Throw(MessagePackError.CountExceedsData, $"{count} elements are announced, but only {left} bytes are left");
        }

        _position += headSize;
        return (int)count;
    }

    [DoesNotReturn]
    private readonly void ThrowTruncated() => Throw(MessagePackError.Truncated, "the bytes end inside a value");

    [DoesNotReturn]
    private readonly void ThrowWrongType(string expected)
    {
        byte code = _source[_position];
        if (code == MessagePackCode.Nil)
        {
            Throw(MessagePackError.UnexpectedNull, $"null stands where {expected} belongs");
        }

        Throw(MessagePackError.WrongType, $"{expected} belongs here, but {MessagePackCode.Describe(code)} was found");
    }

    [DoesNotReturn]
    private readonly void Throw(MessagePackError error, string problem) =>
        throw new MessagePackException(error, _position, Subject, problem);
}
