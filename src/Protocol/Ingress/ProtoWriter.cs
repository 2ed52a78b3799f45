using System.Buffers;
using System.Text;

namespace Ambrosia.Protocol.Ingress;

/// <summary>Writes fields of a message of Protocol Buffers. What has its default value is left out, unless its presence says
/// something.</summary>
internal readonly struct ProtoWriter(IBufferWriter<byte> output)
{
    public void Number(int field, ulong value, bool always = false)
    {
        if (value == 0 && !always)
        {
            return;
        }

        Span<byte> span = output.GetSpan(2 * Varint.MaxSize64);
        int size = Varint.Write(span, (ulong)field << 3);
        output.Advance(size + Varint.Write(span[size..], value));
    }

    public void Text(int field, string value, bool always = false)
    {
        if (value.Length > 0 || always)
        {
            Bytes(field, Encoding.UTF8.GetBytes(value), always);
        }
    }

    public void Bytes(int field, ReadOnlySpan<byte> value, bool always = false)
    {
        if (value.IsEmpty && !always)
        {
            return;
        }

        Span<byte> span = output.GetSpan(2 * Varint.MaxSize64);
        int size = Varint.Write(span, ((ulong)field << 3) | 2);
        output.Advance(size + Varint.Write(span[size..], (ulong)value.Length));
        output.Write(value);
    }
}
