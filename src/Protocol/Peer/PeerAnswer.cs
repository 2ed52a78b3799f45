using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// What a receiver says of one input, in Answer and in Trim: its durable watermark, its own epoch and its instance id.
/// Body: varint total · varint replayable · varint sender epoch of the last message · varint receiver epoch · 16 bytes receiver's id.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct PeerAnswer(Watermark Durable, ulong ReceiverEpoch, Guid ReceiverId)
{
    /// <summary>Writes the body.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(Durable.Total);
        writer.WriteVarint(Durable.Replayable);
        writer.WriteVarint(Durable.SenderEpoch);
        writer.WriteVarint(ReceiverEpoch);
        writer.WriteGuid(ReceiverId);
    }

    /// <summary>Reads a body; valid if and only if replayable does not exceed total and nothing follows.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static PeerAnswer Read(ReadOnlySpan<byte> body)
    {
        var reader = new ByteReader(body);
        var durable = new Watermark(reader.ReadVarint("answer total"), reader.ReadVarint("answer replayable"),
            reader.ReadVarint("answer sender epoch"));
        var answer = new PeerAnswer(durable, reader.ReadVarint("answer receiver epoch"), reader.ReadGuid("answer receiver id"));
        reader.ExpectEnd("answer");
        return durable.Replayable <= durable.Total
            ? answer
            : throw new ProtocolException($"answer: {durable.Replayable} replayable of {durable.Total} messages", 0);
    }
}
