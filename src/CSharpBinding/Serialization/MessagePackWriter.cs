using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace Ambrosia.Serialization;

/// <summary>
/// Appends MessagePack values to a buffer, each in its shortest form, without allocating. The span of the buffer is cached between values:
/// call <see cref="Flush"/> at the end, or the last values are missing.
/// </summary>
/// <param name="output">The buffer written to.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public ref struct MessagePackWriter(IBufferWriter<byte> output)
{
    private readonly IBufferWriter<byte> _output = output;
    private Span<byte> _span;
    private int _used;
    private long _flushed;
    private int _depth;
    private readonly MessagePackLibrary? _library;

    internal MessagePackWriter(IBufferWriter<byte> output, MessagePackLibrary library)
        : this(output) => _library = library;

    /// <summary>What writes values that MessagePack-CSharp writes.</summary>
    internal readonly MessagePackLibrary Library => _library ?? MessagePackLibrary.Default;

    /// <summary>Values that the next one is within.</summary>
    internal readonly int Depth => _depth;

    /// <summary>Bytes written through this writer so far.</summary>
    public readonly long BytesWritten => _flushed + _used;

    /// <summary>Hands what was written to the buffer. The writer may be used further afterwards.</summary>
    public void Flush()
    {
        if (_used > 0)
        {
            _output.Advance(_used);
            _flushed += _used;
            _used = 0;
        }

        _span = default;
    }

    /// <summary>The absence of a value.</summary>
    public void WriteNil() => WriteByteCore(MessagePackCode.Nil);

    /// <summary>A truth value.</summary>
    public void WriteBoolean(bool value) => WriteByteCore(value ? MessagePackCode.True : MessagePackCode.False);

    /// <summary>A signed integer in its shortest form; positive ones use the unsigned forms.</summary>
    public void WriteInt64(long value)
    {
        if (value >= 0)
        {
            WriteUInt64((ulong)value);
            return;
        }

        Span<byte> span = Reserve(9);
        if (value >= -32)
        {
            span[0] = unchecked((byte)value);
            _used += 1;
        }
        else if (value >= sbyte.MinValue)
        {
            span[1] = unchecked((byte)value);
            span[0] = MessagePackCode.Int8;
            _used += 2;
        }
        else if (value >= short.MinValue)
        {
            span[0] = MessagePackCode.Int16;
            BinaryPrimitives.WriteInt16BigEndian(span[1..], (short)value);
            _used += 3;
        }
        else if (value >= int.MinValue)
        {
            span[0] = MessagePackCode.Int32;
            BinaryPrimitives.WriteInt32BigEndian(span[1..], (int)value);
            _used += 5;
        }
        else
        {
            span[0] = MessagePackCode.Int64;
            BinaryPrimitives.WriteInt64BigEndian(span[1..], value);
            _used += 9;
        }
    }

    /// <summary>An unsigned integer in its shortest form.</summary>
    public void WriteUInt64(ulong value)
    {
        Span<byte> span = Reserve(9);
        if (value <= MessagePackCode.MaxPositiveFixInt)
        {
            span[0] = (byte)value;
            _used += 1;
        }
        else if (value <= byte.MaxValue)
        {
            span[1] = (byte)value;
            span[0] = MessagePackCode.UInt8;
            _used += 2;
        }
        else if (value <= ushort.MaxValue)
        {
            span[0] = MessagePackCode.UInt16;
            BinaryPrimitives.WriteUInt16BigEndian(span[1..], (ushort)value);
            _used += 3;
        }
        else if (value <= uint.MaxValue)
        {
            span[0] = MessagePackCode.UInt32;
            BinaryPrimitives.WriteUInt32BigEndian(span[1..], (uint)value);
            _used += 5;
        }
        else
        {
            span[0] = MessagePackCode.UInt64;
            BinaryPrimitives.WriteUInt64BigEndian(span[1..], value);
            _used += 9;
        }
    }

    /// <summary>A 32-bit floating-point number.</summary>
    public void WriteSingle(float value)
    {
        Span<byte> span = Reserve(5);
        span[0] = MessagePackCode.Float32;
        BinaryPrimitives.WriteSingleBigEndian(span[1..], value);
        _used += 5;
    }

    /// <summary>A 64-bit floating-point number.</summary>
    public void WriteDouble(double value)
    {
        Span<byte> span = Reserve(9);
        span[0] = MessagePackCode.Float64;
        BinaryPrimitives.WriteDoubleBigEndian(span[1..], value);
        _used += 9;
    }

    /// <summary>Text. A string with half a surrogate pair is refused: UTF-8 cannot carry it.</summary>
    public void WriteString(ReadOnlySpan<char> value)
    {
        try
        {
            if (value.Length * 3L <= 31)
            {
                // However the characters encode, the header is one byte: one pass over the text.
                Span<byte> span = Reserve(32);
                int written = Utf8.Strict.GetBytes(value, span[1..]);
                span[0] = (byte)(MessagePackCode.FixStr | written);
                _used += written + 1;
                return;
            }

            int size = Utf8.Strict.GetByteCount(value);
            WriteStringHeader(size);
            Utf8.Strict.GetBytes(value, Reserve(size));
            _used += size;
        }
        catch (EncoderFallbackException)
        {
            Throw(MessagePackError.InvalidText, "the string holds half a surrogate pair and has no UTF-8 form");
        }
    }

    /// <summary>Text that is UTF-8 already; the caller vouches for it.</summary>
    public void WriteUtf8(scoped ReadOnlySpan<byte> utf8)
    {
        WriteStringHeader(utf8.Length);
        WriteRaw(utf8);
    }

    /// <summary>Binary data.</summary>
    public void WriteBinary(scoped ReadOnlySpan<byte> bytes)
    {
        Span<byte> span = Reserve(5);
        if (bytes.Length <= byte.MaxValue)
        {
            span[1] = (byte)bytes.Length;
            span[0] = MessagePackCode.Bin8;
            _used += 2;
        }
        else if (bytes.Length <= ushort.MaxValue)
        {
            span[0] = MessagePackCode.Bin16;
            BinaryPrimitives.WriteUInt16BigEndian(span[1..], (ushort)bytes.Length);
            _used += 3;
        }
        else
        {
            span[0] = MessagePackCode.Bin32;
            BinaryPrimitives.WriteInt32BigEndian(span[1..], bytes.Length);
            _used += 5;
        }

        WriteRaw(bytes);
    }

    /// <summary>Announces an array of so many values, which must follow.</summary>
    public void WriteArrayHeader(int count) => WriteHeader(count, MessagePackCode.FixArray, MessagePackCode.Array16);

    /// <summary>Announces a map of so many pairs; as many keys, each followed by its value, must follow.</summary>
    public void WriteMapHeader(int count) => WriteHeader(count, MessagePackCode.FixMap, MessagePackCode.Map16);

    /// <summary>
    /// A point in time, as the format's timestamp extension. A local time is converted to UTC, an unspecified one taken as UTC.
    /// </summary>
    public void WriteTimestamp(DateTime value)
    {
        long ticks = (value.Kind == DateTimeKind.Local ? value.ToUniversalTime() : value).Ticks - DateTime.UnixEpoch.Ticks;
        (long seconds, long rest) = Math.DivRem(ticks, TimeSpan.TicksPerSecond);
        if (rest < 0)
        {
            seconds--;
            rest += TimeSpan.TicksPerSecond;
        }

        uint nanoseconds = (uint)rest * 100;
        Span<byte> span = Reserve(15);
        if (seconds is < 0 or >= 1L << 34)
        {
            span[0] = MessagePackCode.Ext8;
            span[1] = 12;
            span[2] = unchecked((byte)MessagePackCode.Timestamp);
            BinaryPrimitives.WriteUInt32BigEndian(span[3..], nanoseconds);
            BinaryPrimitives.WriteInt64BigEndian(span[7..], seconds);
            _used += 15;
        }
        else if (nanoseconds != 0 || seconds > uint.MaxValue)
        {
            span[0] = MessagePackCode.FixExt8;
            span[1] = unchecked((byte)MessagePackCode.Timestamp);
            BinaryPrimitives.WriteUInt64BigEndian(span[2..], ((ulong)nanoseconds << 34) | (ulong)seconds);
            _used += 10;
        }
        else
        {
            span[0] = MessagePackCode.FixExt4;
            span[1] = unchecked((byte)MessagePackCode.Timestamp);
            BinaryPrimitives.WriteUInt32BigEndian(span[2..], (uint)seconds);
            _used += 6;
        }
    }

    /// <summary>Bytes as they are: the caller vouches for whole values.</summary>
    public void WriteRaw(scoped ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(Reserve(bytes.Length));
        _used += bytes.Length;
    }

    /// <summary>Goes one level down; formatters of everything that holds other values call it first. Ends a cycle with an error.</summary>
    public void Enter()
    {
        if (++_depth > MessagePackLimits.MaxDepth)
        {
            Throw(MessagePackError.TooDeep,
                $"values are nested deeper than {MessagePackLimits.MaxDepth}; arguments and results are trees, a cycle cannot be sent");
        }
    }

    /// <summary>The parameter being written, for error texts only: <c>Deposit.account</c>. Default null.</summary>
    public string? Subject { readonly get; set; }

    /// <summary>Comes back up.</summary>
    public void Leave() => _depth--;

    /// <summary>Reports a null where the declared type allows none.</summary>
    /// <param name="what">What is null: <c>Account.Owner</c>.</param>
    [DoesNotReturn]
    public readonly void ThrowNull(string what) => Throw(
        MessagePackError.UnexpectedNull,
        $"{what} is null, but declared as not nullable: give a value, or declare the type with ? ({ArgumentErrors.NullValue})");

    /// <summary>Reports a value whose type is not in the closed list of its union.</summary>
    [DoesNotReturn]
    public readonly void ThrowUnknownType(string union, Type found) =>
        Throw(MessagePackError.UnknownTag, $"{found} is not listed by a [Union] attribute of {union}");

    [DoesNotReturn]
    private readonly void Throw(MessagePackError error, string problem) =>
        throw new MessagePackException(error, BytesWritten, Subject, problem);

    private void WriteStringHeader(int size)
    {
        Span<byte> span = Reserve(5);
        if (size <= 31)
        {
            span[0] = (byte)(MessagePackCode.FixStr | size);
            _used += 1;
        }
        else if (size <= byte.MaxValue)
        {
            span[1] = (byte)size;
            span[0] = MessagePackCode.Str8;
            _used += 2;
        }
        else if (size <= ushort.MaxValue)
        {
            span[0] = MessagePackCode.Str16;
            BinaryPrimitives.WriteUInt16BigEndian(span[1..], (ushort)size);
            _used += 3;
        }
        else
        {
            span[0] = MessagePackCode.Str32;
            BinaryPrimitives.WriteInt32BigEndian(span[1..], size);
            _used += 5;
        }
    }

    private void WriteHeader(int count, byte fix, byte code16)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        Span<byte> span = Reserve(5);
        if (count <= 15)
        {
            span[0] = (byte)(fix | count);
            _used += 1;
        }
        else if (count <= ushort.MaxValue)
        {
            span[0] = code16;
            BinaryPrimitives.WriteUInt16BigEndian(span[1..], (ushort)count);
            _used += 3;
        }
        else
        {
            span[0] = (byte)(code16 + 1);
            BinaryPrimitives.WriteInt32BigEndian(span[1..], count);
            _used += 5;
        }
    }

    private void WriteByteCore(byte value)
    {
        Reserve(1)[0] = value;
        _used++;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Span<byte> Reserve(int size)
    {
        if (_span.Length - _used < size)
        {
            Refill(size);
        }

        return _span[_used..];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Refill(int size)
    {
        Flush();
        _span = _output.GetSpan(size);
    }
}
