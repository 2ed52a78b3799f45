using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace Ambrosia.Protocol;

/// <summary>Writes fields into an <see cref="IBufferWriter{T}"/>: the counterpart of <see cref="ByteReader"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct ByteWriter(IBufferWriter<byte> output)
{
    /// <summary>One byte.</summary>
    public void WriteByte(byte value)
    {
        output.GetSpan(1)[0] = value;
        output.Advance(1);
    }

    /// <summary>An unsigned 32-bit little-endian number.</summary>
    public void WriteUInt32(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(output.GetSpan(4), value);
        output.Advance(4);
    }

    /// <summary>An unsigned 64-bit little-endian number.</summary>
    public void WriteUInt64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(output.GetSpan(8), value);
        output.Advance(8);
    }

    /// <summary>A LEB128 number.</summary>
    public void WriteVarint(ulong value) => output.Advance(Varint.Write(output.GetSpan(Varint.MaxSize64), value));

    /// <summary>A zig-zag number.</summary>
    public void WriteZigZag(long value) => WriteVarint(Varint.ZigZag(value));

    /// <summary>The bytes as they are.</summary>
    public void WriteBytes(ReadOnlySpan<byte> bytes) => output.Write(bytes);

    /// <summary>A string: LEB128 length in bytes, then UTF-8.</summary>
    public void WriteString(string value)
    {
        int size = Encoding.UTF8.GetByteCount(value);
        WriteVarint((ulong)size);
        Encoding.UTF8.GetBytes(value, output.GetSpan(size));
        output.Advance(size);
    }

    /// <summary>A string of at most <paramref name="maxBytes"/>: what its reader refuses is not written.</summary>
    /// <exception cref="ProtocolException">It is longer.</exception>
    public void WriteString(string value, int maxBytes, string what)
    {
        int size = Encoding.UTF8.GetByteCount(value);
        if (size > maxBytes)
        {
            throw new ProtocolException($"{what}: {size} bytes exceed the limit {maxBytes}", 0);
        }

        WriteString(value);
    }

    /// <summary>A 128-bit id, in the byte order of <see cref="Guid.ToByteArray()"/>.</summary>
    public void WriteGuid(Guid value)
    {
        value.TryWriteBytes(output.GetSpan(16));
        output.Advance(16);
    }
}
