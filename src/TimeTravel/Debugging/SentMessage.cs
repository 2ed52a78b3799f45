using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel.Link;

namespace Ambrosia.TimeTravel.Debugging;

/// <summary>A message that an app sent during a replay.</summary>
/// <param name="Destination">Its destination.</param>
/// <param name="Kind">call, fork, reply or exception.</param>
/// <param name="MethodId">Method called or answered.</param>
/// <param name="Body">Arguments, value or exception.</param>
public sealed record SentMessage(string Destination, MessageKind Kind, int MethodId, ReadOnlyMemory<byte> Body)
{
    /// <summary>All messages of a stretch.</summary>
    internal static IReadOnlyList<SentMessage> From(TurnOutputs outputs)
    {
        var messages = new List<SentMessage>();
        foreach (OutputRun run in outputs.Runs)
        {
            Add(messages, run.Destination, outputs.BytesOf(run));
        }

        return messages;
    }

    /// <summary>All messages of a run.</summary>
    internal static void Add(List<SentMessage> messages, string destination, ReadOnlySpan<byte> run)
    {
        var scanner = new MessageScanner(run);
        while (scanner.MoveNext())
        {
            RpcHeader rpc = RpcHeader.Read(scanner.Data);
            messages.Add(new SentMessage(destination, CallText.KindOf(rpc), rpc.MethodId, rpc.Body.ToArray()));
        }
    }
}
