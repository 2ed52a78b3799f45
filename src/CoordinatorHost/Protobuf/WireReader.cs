using System.Buffers.Binary;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>Reads the values of a message one after the other. Nothing is copied, and no length is believed.</summary>
internal struct WireReader(ReadOnlyMemory<byte> bytes)
{
    private int _at;

    public readonly bool IsAtEnd => _at == bytes.Length;

    /// <summary>The next value with its tag; false at the end.</summary>
    /// <exception cref="ProtoValueException">The bytes are no message.</exception>
    public bool TryNext(out WireValue value)
    {
        value = default;
        if (IsAtEnd)
        {
            return false;
        }

        ulong tag = Varint();
        if (tag >> 3 is 0 or > 536_870_911)
        {
            throw new ProtoValueException($"tag {tag} belongs to no field");
        }

        var kind = (WireKind)(tag & 7);
        value = kind == WireKind.Bytes ? new WireValue((int)(tag >> 3), kind, 0, Take(Varint()))
            : new WireValue((int)(tag >> 3), kind, Bits(kind), default);
        return true;
    }

    /// <summary>The next value without a tag.</summary>
    /// <exception cref="ProtoValueException">There is none.</exception>
    public ulong Bits(WireKind kind) => kind switch
    {
        WireKind.Varint => Varint(),
        WireKind.Fixed64 => BinaryPrimitives.ReadUInt64LittleEndian(Take(8).Span),
        WireKind.Fixed32 => BinaryPrimitives.ReadUInt32LittleEndian(Take(4).Span),
        _ => throw new ProtoValueException("a group is not taken"),
    };

    private ReadOnlyMemory<byte> Take(ulong count)
    {
        if (count > (ulong)(bytes.Length - _at))
        {
            throw new ProtoValueException("the message ends too early");
        }

        ReadOnlyMemory<byte> taken = bytes.Slice(_at, (int)count);
        _at += (int)count;
        return taken;
    }

    private ulong Varint()
    {
        ulong value = 0;
        for (int shift = 0; shift < 70; shift += 7)
        {
            byte next = Take(1).Span[0];
            if (shift == 63 && next > 1)
            {
                break;
            }

            value |= (ulong)(next & 0x7f) << shift;
            if (next < 0x80)
            {
                return value;
            }
        }

        throw new ProtoValueException("a number has more than 64 bits");
    }
}
