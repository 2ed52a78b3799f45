using System.Buffers;
using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Application;

/// <summary>
/// Gives the messages of a record the form that bindings of the published protocol know. Calls and forks have it already; the instance's own initial
/// message becomes a message of its own type again.
/// </summary>
/// <param name="self">Name of the instance.</param>
internal sealed class LegacyForm(string self)
{
    private readonly ArrayBufferWriter<byte> _changed = new();

    /// <summary>The messages of a payload, sent by whom the trailer says. Valid until the next one.</summary>
    public ReadOnlySpan<byte> Of(ReadOnlySpan<byte> payload, RecordTrailer trailer)
    {
        _changed.ResetWrittenCount();
        int same = 0; // Offset behind what is written.
        int run = 0;
        int left = trailer.Runs.Count > 0 ? trailer.Runs[0].Messages : 0;
        var scanner = new MessageScanner(payload);
        while (scanner.MoveNext())
        {
            for (; left == 0 && run < trailer.Runs.Count - 1; left = trailer.Runs[run].Messages)
            {
                run++;
            }

            left--;
            if (scanner.Type == BindingMessageType.Rpc && Changes(scanner.Data, trailer, run))
            {
                _changed.Write(payload[same..scanner.Start]);
                same = scanner.Offset;
            }
        }

        if (same == 0)
        {
            return payload;
        }

        _changed.Write(payload[same..]);
        return _changed.WrittenSpan;
    }

    // Only the instance itself has a first start: what another one sends under this id is a call like any other.
    private bool Changes(ReadOnlySpan<byte> rpc, RecordTrailer trailer, int run)
    {
        if (SenderOf(trailer, run) == self && LegacyInitialMessage.TryRead(rpc, out ReadOnlySpan<byte> data))
        {
            Version2Framing.WriteMessage(_changed, BindingMessageType.InitialMessage, data);
            return true;
        }

        return false;
    }

    private static string SenderOf(RecordTrailer trailer, int run) => run < trailer.Runs.Count ? trailer.Inputs[trailer.Runs[run].InputIndex].Name : "";
}
