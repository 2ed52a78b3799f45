using Ambrosia.Coordinator.Records;
using Ambrosia.Inspection.Text;
using Ambrosia.LogStore.Format;
using Ambrosia.Protocol;

namespace Ambrosia.Inspection.Log;

/// <summary>One record with its bytes, for showing its messages.</summary>
public sealed class PageRecord
{
    private readonly byte[] _payload;
    private readonly RecordTrailer _trailer;
    private readonly (int Start, int Length)[] _messages;

    /// <summary>Copies a record out of a reader.</summary>
    public PageRecord(in RecordHeader header, ReadOnlyMemory<byte> body)
    {
        _trailer = RecordTrailer.Read(body, out ReadOnlyMemory<byte> payload);
        _payload = payload.ToArray();
        _messages = new (int, int)[_trailer.MessageCount];
        _ = RecordMessages.Locate(_payload, _messages);
        (Lsn, Epoch, Ticks) = (header.Lsn.Value, header.Epoch.Value, header.Timestamp);
    }

    /// <summary>Its place in the log.</summary>
    public ulong Lsn { get; }

    /// <summary>Epoch under which it was logged.</summary>
    public ulong Epoch { get; }

    /// <summary>When it was logged, in ticks.</summary>
    public long Ticks { get; }

    /// <summary>Messages in it.</summary>
    public int Count => _messages.Length;

    /// <summary>Header and arguments of a message.</summary>
    public RpcHeader this[int index] =>
        RpcHeader.Read(RecordMessages.DataOf(_payload.AsSpan(_messages[index].Start, _messages[index].Length)));

    /// <summary>Bytes of a message, size and type in front included.</summary>
    public int SizeOf(int index) => _messages[index].Length;

    /// <summary>The sender of a message.</summary>
    public string SenderOf(int index)
    {
        foreach (InputRun run in _trailer.Runs)
        {
            if (index < run.Messages)
            {
                return _trailer.Inputs[run.InputIndex].Name;
            }

            index -= run.Messages;
        }

        return "";
    }

    /// <summary>The number that a message has among the replayable ones of its sender; null for an impulse, which has none.</summary>
    public ulong? NumberOf(int index)
    {
        string sender = SenderOf(index);
        ulong? number = _trailer.Inputs.Where(input => input.Name == sender).Select(static input => (ulong?)input.Watermark.Replayable)
            .FirstOrDefault();
        if (number is not { } last || !IsNumbered(this[index]))
        {
            return null;
        }

        for (int i = index + 1; i < Count; i++)
        {
            last -= SenderOf(i) == sender && IsNumbered(this[i]) ? 1UL : 0;
        }

        return last;
    }

    /// <summary>Index of the message with this number of this sender; null when it is not in this record.</summary>
    public int? Find(string sender, ulong number)
    {
        for (int i = 0; i < Count; i++)
        {
            if (SenderOf(i) == sender && NumberOf(i) == number)
            {
                return i;
            }
        }

        return null;
    }

    // Impulses, timers among them, come from the world outside.
    private static bool IsNumbered(in RpcHeader rpc) => rpc.Form != RpcForm.Call || rpc.Kind is RpcKind.Async or RpcKind.Fork;
}
