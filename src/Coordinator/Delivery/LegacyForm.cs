using System.Buffers;
using System.Text;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>
/// Gives the messages of a record the form that bindings of the published protocol know. Calls, forks and impulses have it already; the
/// instance's own initial message becomes a message of its own type again, and a reply names the instance that replies. A batch with such
/// messages in it is delivered message by message.
/// </summary>
/// <param name="self">Name of the instance.</param>
internal sealed class LegacyForm(string self)
{
    private readonly ArrayBufferWriter<byte> _changed = new();
    private int _same; // Offset in the payload behind what is written.
    private int _run;
    private int _left; // Messages left in the run.

    /// <summary>The messages of a payload, whose marks name their senders. Valid until the next one.</summary>
    public ReadOnlySpan<byte> Of(ReadOnlySpan<byte> payload, RecordMarks marks)
    {
        _changed.ResetWrittenCount();
        (_same, _run, _left) = (0, 0, marks.Runs.Count > 0 ? marks.Runs[0].Messages : 0);
        bool changed = false;
        var scanner = new MessageScanner(payload);
        while (scanner.MoveNext())
        {
            changed |= scanner.Type == BindingMessageType.Rpc
                ? Change(payload, scanner.Start, scanner.Data, scanner.Offset, marks)
                : ChangeBatch(payload, scanner.Start, scanner.Batch, scanner.Offset, marks);
        }

        if (!changed)
        {
            return payload;
        }

        _changed.Write(payload[_same..]);
        return _changed.WrittenSpan;
    }

    private bool ChangeBatch(ReadOnlySpan<byte> payload, int start, ReadOnlySpan<byte> batch, int end, RecordMarks marks)
    {
        bool changed = false;
        int first = end - batch.Length;
        var scanner = new MessageScanner(batch);
        while (scanner.MoveNext())
        {
            // The head of the batch, which says what it holds, goes with the first message that is changed.
            int from = first + scanner.Start;
            bool changes = Change(payload, changed ? from : start, scanner.Data, first + scanner.Offset, marks, changed ? from : first,
                from);
            changed |= changes;
        }

        return changed;
    }

    private bool Change(ReadOnlySpan<byte> payload, int start, ReadOnlySpan<byte> rpc, int end, RecordMarks marks) =>
        Change(payload, start, rpc, end, marks, start, start);

    // Written before it: what is unchanged up to `head`, and from `behindHead` up to `start`.
    private bool Change(ReadOnlySpan<byte> payload, int head, ReadOnlySpan<byte> rpc, int end, RecordMarks marks, int behindHead,
        int start)
    {
        string sender = NextSender(marks);
        bool isReply = rpc[0] != (byte)RpcForm.Call;
        ReadOnlySpan<byte> initial = default;

        // Only the instance itself has a first start: what another one sends under this id is a call like any other.
        if (!isReply && !(LegacyInitialMessage.TryRead(rpc, out initial) && sender == self))
        {
            return false;
        }

        _changed.Write(payload[_same..head]);
        _changed.Write(payload[behindHead..start]);
        _same = end;
        if (isReply)
        {
            byte[] name = InstanceName.IsValid(sender) ? Encoding.ASCII.GetBytes(sender) : []; // An operator's is none.
            Version2Framing.WriteMessage(_changed, BindingMessageType.Rpc, LegacyReply.FromDeliveryForm(RpcHeader.Read(rpc), name));
        }
        else
        {
            Version2Framing.WriteMessage(_changed, BindingMessageType.InitialMessage, initial);
        }

        return true;
    }

    private string NextSender(RecordMarks marks)
    {
        while (_left == 0 && _run < marks.Runs.Count - 1)
        {
            _left = marks.Runs[++_run].Messages;
        }

        _left--;
        return _run < marks.Runs.Count ? marks.Inputs[marks.Runs[_run].InputIndex].Name : "";
    }
}
