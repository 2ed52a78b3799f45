using System.Buffers;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>What a coordinator sends, as the binding reads it: messages, records, batches and checkpoints, however the stream is
/// cut.</summary>
internal sealed class LinkStreamTarget : FuzzTarget
{
    public override string Name => "link-stream";

    public override int Weight => 6;

    public override int Largest => 4096;

    // A reader keeps a page for a checkpoint.
    public override long AllocationBase => 192 * 1024;

    public override IEnumerable<byte[]> Seeds()
    {
        foreach (byte[] payload in Vectors.Of("payload"))
        {
            Varint.TryRead(payload, out ulong count, out int prefix);
            byte[] info = new byte[RecordInfo.MaxSize];
            int size = new RecordInfo(7, 3, 99, (int)count, payload.Length - prefix, 0).Write(info);
            yield return [.. Framed(BindingMessageType.RecordInfo, info.AsSpan(0, size)), .. payload.AsSpan(prefix),
                .. Framed(BindingMessageType.Heartbeat, [])];
        }

        foreach (byte[] message in Vectors.Of("message"))
        {
            yield return message;
        }

        yield return [.. Framed(BindingMessageType.Checkpoint, [0x14]), .. new byte[10], .. Framed(BindingMessageType.BecomingPrimary, [])];
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        (ulong Hash, string End) whole = ReadAll(input, null);
        if (random.OneIn(3))
        {
            (ulong Hash, string End) pieces = ReadAll(input, random);
            Require(pieces.Hash == whole.Hash, "messages do not depend on how the stream is cut");
            Require((pieces.End is Accepted or Incomplete) == (whole.End is Accepted or Incomplete),
                "what is refused is refused however the stream is cut");
        }

        return whole.End is Accepted or Incomplete ? whole.End : throw new ProtocolException(whole.End, 0);
    }

    private static (ulong Hash, string End) ReadAll(ReadOnlyMemory<byte> input, FuzzRandom? random)
    {
        var receiver = new HashingReceiver();
        using var reader = new LinkReader(receiver);
        try
        {
            int start = 0;
            for (int end = 0; end < input.Length;)
            {
                end = random is null ? input.Length : Math.Min(input.Length, end + 1 + random.Next(random.OneIn(2) ? 12 : input.Length));
                ReadOnlySequence<byte> part = random is null ? new ReadOnlySequence<byte>(input[start..end])
                    : Pieces.Of(input[start..end], random);
                long before = part.Length;
                reader.Read(ref part);
                start += (int)(before - part.Length);
            }

            return (receiver.Hash, start == input.Length && !reader.IsInside ? Accepted : Incomplete);
        }
        catch (ProtocolException error)
        {
            return (receiver.Hash, error.Rule);
        }
    }

    private static byte[] Framed(BindingMessageType type, ReadOnlySpan<byte> data)
    {
        byte[] message = new byte[Varint.SizeZigZag(data.Length + 1) + 1 + data.Length];
        int size = Varint.WriteZigZag(message, data.Length + 1);
        message[size] = (byte)type;
        data.CopyTo(message.AsSpan(size + 1));
        return message;
    }
}
