using Ambrosia.LogStore;
using Ambrosia.LogStore.Read;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>A message found in the log: who sent it, and its bytes in delivery form.</summary>
internal sealed record PlacedMessage(MessagePosition Position, string From, byte[] Message)
{
    /// <summary>Name of the input of what an operator sends again: no instance name, so nobody else's.</summary>
    public const string Operator = "(operator)";

    /// <summary>Data of the message, without size and type.</summary>
    public ReadOnlySpan<byte> Rpc => DataOf(Message);

    /// <summary>Data of a message in delivery form, without size and type.</summary>
    public static ReadOnlySpan<byte> DataOf(ReadOnlySpan<byte> message)
    {
        var scanner = new MessageScanner(message);
        scanner.MoveNext();
        return scanner.Data;
    }

    /// <summary>What it is, in words: <c>17:3, a call of method 7 from teller</c>.</summary>
    public string Describe() => $"{Position}, {Describe(Rpc)} from {From}";

    /// <summary>What a message is, in words.</summary>
    public static string Describe(ReadOnlySpan<byte> rpc)
    {
        RpcHeader header = RpcHeader.Read(rpc);
        return header switch
        {
            { Form: RpcForm.Call } when ReservedMethods.IsPost(header.MethodId, header.Body) => "a post",
            { Form: not RpcForm.Call } => $"the reply to a call of method {header.MethodId}",
            { MethodId: ReservedMethods.TimerFire } => "a timer",
            { MethodId: ReservedMethods.EffectDone } => "the outcome of an effect",
            { MethodId: ReservedMethods.EffectNote } => "a note on effects",
            { MethodId: ReservedMethods.ScheduleStep } => "a step of a schedule",
            { MethodId: ReservedMethods.AwakeableDone } => "the completion of an awakeable",
            { MethodId: ReservedMethods.OnFirstStart or ReservedMethods.InitialMessage } => "the first start",
            { Kind: RpcKind.Async } => $"a call of method {header.MethodId}",
            { Kind: RpcKind.Fork } => $"a fork of method {header.MethodId}",
            _ => $"an impulse of method {header.MethodId}",
        };
    }

    /// <summary>Looks it up; null if the log has no such message (any more).</summary>
    public static async ValueTask<PlacedMessage?> ReadAsync(WriteAheadLog log, MessagePosition position)
    {
        await using LogReader reader = log.OpenReader(new Lsn(position.Lsn));
        return await reader.ReadAsync() == ReadOutcome.Record && reader.Header.Lsn.Value == position.Lsn ? Find(reader.Body, position)
            : null;
    }

    /// <summary>Offset after each message of a payload; the head of a batch belongs to its first message.</summary>
    public static List<int> Ends(ReadOnlySpan<byte> payload)
    {
        var ends = new List<int>();
        var outer = new MessageScanner(payload);
        while (outer.MoveNext())
        {
            if (outer.Type == BindingMessageType.Rpc)
            {
                ends.Add(outer.Offset);
                continue;
            }

            ReadOnlySpan<byte> run = outer.Batch;
            int start = outer.Offset - run.Length;
            var inner = new MessageScanner(run);
            while (inner.MoveNext())
            {
                ends.Add(start + inner.Offset);
            }
        }

        return ends;
    }

    private static PlacedMessage? Find(ReadOnlyMemory<byte> body, MessagePosition position)
    {
        RecordTrailer trailer = RecordTrailer.Read(body, out ReadOnlyMemory<byte> payload);
        List<int> ends = Ends(payload.Span);
        if (position.Index >= ends.Count)
        {
            return null;
        }

        int end = ends[position.Index];
        int start = position.Index == 0 ? 0 : ends[position.Index - 1];
        byte[] message = WithoutBatch(payload.Span[start..end]);
        int seen = 0;
        InputRun run = trailer.Runs.First(r => (seen += r.Messages) > position.Index);
        return new PlacedMessage(position, trailer.Inputs[run.InputIndex].Name, message);
    }

    private static byte[] WithoutBatch(ReadOnlySpan<byte> bytes)
    {
        // The first message of a batch has the batch's head in front, whose size covers more than what is here.
        Varint.TryReadZigZag(bytes, out _, out int prefix);
        var type = (BindingMessageType)bytes[prefix];
        if (type == BindingMessageType.Rpc)
        {
            return bytes.ToArray();
        }

        var counts = new ByteReader(bytes[(prefix + 1)..]);
        counts.ReadZigZag("batch count");
        if (type == BindingMessageType.CountReplayableRpcBatch)
        {
            counts.ReadZigZag("batch replayable count");
        }

        return counts.Rest.ToArray();
    }
}
