using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>
/// A message that was quarantined and is kept: where it stood, who sent it, all its bytes in delivery form, who took it out, when and why.
/// </summary>
public sealed record DeadLetter(MessagePosition Position, string From, ReadOnlyMemory<byte> Message,
    long DecidedAt = 0, string By = "", string Reason = "")
{
    private const int MaxFrom = 64;

    /// <summary>False for replies, timers and the first start: they mean something only once.</summary>
    public bool MayBeRedriven
    {
        get
        {
            RpcHeader header = RpcHeader.Read(PlacedMessage.DataOf(Message.Span));
            return header is { Form: RpcForm.Call, MethodId: >= 0 };
        }
    }

    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(Position.Lsn);
        writer.WriteVarint((ulong)Position.Index);
        writer.WriteString(From);
        writer.WriteUInt64((ulong)DecidedAt);
        writer.WriteString(By);
        writer.WriteString(Reason);
        writer.WriteVarint((ulong)Message.Length);
        writer.WriteBytes(Message.Span);
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static DeadLetter Read(ref ByteReader reader)
    {
        MessagePosition position = MessagePosition.Read(ref reader, "letter position");
        string from = reader.ReadString(MaxFrom, "letter sender");
        long decidedAt = (long)reader.ReadUInt64("letter time");
        string by = reader.ReadString(QuarantineStep.MaxText, "letter decider");
        string reason = reader.ReadString(QuarantineStep.MaxText, "letter reason");
        int size = reader.ReadLength(int.MaxValue, "letter size");
        byte[] message = reader.ReadBytes(size, "letter").ToArray();
        return MessageScanner.Count(message).Count == 1
            ? new DeadLetter(position, from, message, decidedAt, by, reason)
            : throw new ProtocolException($"letter {position} does not hold one message", reader.Offset);
    }
}
