using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// Version 2: a handler threw and nobody waits for it. Data: varint LSN · varint index · zig-zag method id · string text.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct HandlerFault(ulong Lsn, ulong Index, int MethodId, string Text)
{
    /// <summary>Longest text, in bytes.</summary>
    public const int MaxText = 64 * 1024;

    /// <summary>Writes the data of the message.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(Lsn);
        writer.WriteVarint(Index);
        writer.WriteZigZag(MethodId);
        writer.WriteString(Text, MaxText, "fault text");
    }

    /// <summary>Reads the data; valid if and only if the method id fits 32 bits, the text its limit and nothing follows.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static HandlerFault Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        ulong lsn = reader.ReadVarint("fault LSN");
        ulong index = reader.ReadVarint("fault index");
        long method = reader.ReadZigZag("fault method id");
        string text = reader.ReadString(MaxText, "fault text");
        reader.ExpectEnd("fault");
        return method is >= int.MinValue and <= int.MaxValue
            ? new HandlerFault(lsn, index, (int)method, text)
            : throw new ProtocolException($"method id {method} exceeds 32 bits", 0);
    }
}
