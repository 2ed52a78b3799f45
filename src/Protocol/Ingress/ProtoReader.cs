using System.Buffers.Binary;
using System.Text;

namespace Ambrosia.Protocol.Ingress;

/// <summary>Reads the fields of one message of Protocol Buffers, known ones and others.</summary>
internal ref struct ProtoReader(ReadOnlySpan<byte> source)
{
    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
    private ByteReader _reader = new(source);

    /// <summary>Bytes that have been read.</summary>
    public readonly int Offset => (int)_reader.Offset;

    /// <summary>The next field; false at the end.</summary>
    /// <exception cref="ProtocolException">The bytes are no message.</exception>
    public bool TryNext(out ProtoField field)
    {
        if (_reader.Remaining == 0)
        {
            field = default;
            return false;
        }

        ulong tag = _reader.ReadVarint("tag");
        if (tag >> 3 is 0 or > 536_870_911)
        {
            throw new ProtocolException($"tag {tag} belongs to no field", _reader.Offset);
        }

        int number = (int)(tag >> 3);
        field = (tag & 7) switch
        {
            0 => new ProtoField(number, false, _reader.ReadVarint("number"), default),
            1 => new ProtoField(number, false, _reader.ReadUInt64("fixed64"), default),
            2 => new ProtoField(number, true, 0, _reader.ReadBytes(_reader.ReadCount("length"), "bytes")),
            5 => new ProtoField(number, false, BinaryPrimitives.ReadUInt32LittleEndian(_reader.ReadBytes(4, "fixed32")), default),
            _ => throw new ProtocolException($"field {number} is of a kind that is none", _reader.Offset),
        };
        return true;
    }

    /// <summary>Text of a field.</summary>
    /// <exception cref="ProtocolException">It is not UTF-8.</exception>
    public readonly string Text(in ProtoField field)
    {
        try
        {
            return s_strict.GetString(field.Bytes);
        }
        catch (DecoderFallbackException)
        {
            throw new ProtocolException("a text is not UTF-8", _reader.Offset);
        }
    }
}
