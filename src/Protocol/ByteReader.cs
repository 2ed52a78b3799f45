using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace Ambrosia.Protocol;

/// <summary>Reads the fields of one complete message. Every read checks what is left before it touches or allocates anything.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public ref struct ByteReader(ReadOnlySpan<byte> source)
{
    private static readonly UTF8Encoding s_strictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
    private readonly ReadOnlySpan<byte> _source = source;

    /// <summary>Bytes consumed so far.</summary>
    public int Offset { get; private set; }

    /// <summary>Bytes left.</summary>
    public readonly int Remaining => _source.Length - Offset;

    /// <summary>The bytes not yet consumed.</summary>
    public readonly ReadOnlySpan<byte> Rest => _source[Offset..];

    /// <summary>One byte.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte ReadByte(string what) => ReadBytes(1, what)[0];

    /// <summary>An unsigned 32-bit little-endian number.</summary>
    public uint ReadUInt32(string what) => BinaryPrimitives.ReadUInt32LittleEndian(ReadBytes(4, what));

    /// <summary>An unsigned 64-bit little-endian number.</summary>
    public ulong ReadUInt64(string what) => BinaryPrimitives.ReadUInt64LittleEndian(ReadBytes(8, what));

    /// <summary>A LEB128 number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong ReadVarint(string what)
    {
        if (!Varint.TryRead(Rest, out ulong value, out int size))
        {
            Varint.ThrowMalformed(what, Offset);
        }

        Offset += size;
        return value;
    }

    /// <summary>A zig-zag number.</summary>
    public long ReadZigZag(string what) => Varint.UnZigZag(ReadVarint(what));

    /// <summary>A LEB128 number that must not exceed <paramref name="max"/>.</summary>
    public int ReadLength(int max, string what)
    {
        ulong value = ReadVarint(what);
        if (value > (ulong)max)
        {
            throw new ProtocolException($"{what}: {value} exceeds the limit {max}", Offset);
        }

        return (int)value;
    }

    /// <summary>
    /// The number of entries that follow, bounded by the bytes that are there and by nothing else: what was written can be read.
    /// </summary>
    public int ReadCount(string what) => ReadLength(Remaining, what);

    /// <summary>Exactly <paramref name="count"/> bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ReadOnlySpan<byte> ReadBytes(int count, string what)
    {
        if ((uint)count > (uint)Remaining)
        {
            ThrowTooShort(count, what);
        }

        ReadOnlySpan<byte> bytes = _source.Slice(Offset, count);
        Offset += count;
        return bytes;
    }

    /// <summary>A string: LEB128 length in bytes, then strict UTF-8.</summary>
    public string ReadString(int maxBytes, string what) => DecodeUtf8(ReadBytes(ReadLength(maxBytes, what), what), what);

    /// <summary>A string that is the name of an instance.</summary>
    public string ReadName(string what)
    {
        string name = ReadString(InstanceName.MaxLength, what);
        return InstanceName.IsValid(name) ? name : throw new ProtocolException($"{what}: not an instance name", Offset);
    }

    /// <summary>A 128-bit id.</summary>
    public Guid ReadGuid(string what) => new(ReadBytes(16, what));

    /// <summary>Throws unless everything was consumed: trailing bytes mean that the two sides disagree on the layout.</summary>
    public readonly void ExpectEnd(string what)
    {
        if (Remaining != 0)
        {
            throw new ProtocolException($"{what}: {Remaining} bytes too many", Offset);
        }
    }

    // Apart, for a text with values in it makes whatever method it stands in clear its locals.
    [DoesNotReturn]
    private readonly void ThrowTooShort(int count, string what) =>
        throw new ProtocolException($"{what}: {count} bytes wanted, {Remaining} left", Offset);

    private readonly string DecodeUtf8(ReadOnlySpan<byte> bytes, string what)
    {
        try
        {
            return s_strictUtf8.GetString(bytes);
        }
        catch (DecoderFallbackException)
        {
            throw new ProtocolException($"{what}: not UTF-8", Offset);
        }
    }
}
