using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>Writes the values of a message one after the other.</summary>
internal readonly struct WireWriter(ArrayBufferWriter<byte> output)
{
    public ReadOnlySpan<byte> Written => output.WrittenSpan;

    public void Varint(int number, ulong value)
    {
        Varint(((ulong)number << 3) | (ulong)WireKind.Varint);
        Varint(value);
    }

    public void Single(int number, float value)
    {
        Varint(((ulong)number << 3) | (ulong)WireKind.Fixed32);
        BinaryPrimitives.WriteSingleLittleEndian(output.GetSpan(4), value);
        output.Advance(4);
    }

    public void Double(int number, double value)
    {
        Varint(((ulong)number << 3) | (ulong)WireKind.Fixed64);
        BinaryPrimitives.WriteDoubleLittleEndian(output.GetSpan(8), value);
        output.Advance(8);
    }

    public void Bytes(int number, ReadOnlySpan<byte> value)
    {
        Varint(((ulong)number << 3) | (ulong)WireKind.Bytes);
        Varint((ulong)value.Length);
        output.Write(value);
    }

    public void Text(int number, string value) => Bytes(number, Encoding.UTF8.GetBytes(value));

    /// <summary>A message in this one.</summary>
    public void Message(int number, Action<WireWriter> write)
    {
        var inner = new ArrayBufferWriter<byte>();
        write(new WireWriter(inner));
        Bytes(number, inner.WrittenSpan);
    }

    private void Varint(ulong value) => output.Advance(Protocol.Varint.Write(output.GetSpan(Protocol.Varint.MaxSize64), value));
}
