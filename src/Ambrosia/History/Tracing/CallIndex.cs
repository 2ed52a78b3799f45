using Ambrosia.Inspection;
using Ambrosia.Inspection.Log;
using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;

namespace Ambrosia.Cli.History.Tracing;

/// <summary>Where the calls and the answers in one log stand, by their numbers.</summary>
internal sealed class CallIndex
{
    private readonly Dictionary<(string Caller, long Number), MessagePosition> _calls = [];
    private readonly Dictionary<long, long> _answers = [];

    /// <summary>Reads a log whose index is complete, from its oldest record to its end.</summary>
    public static async Task<CallIndex> ReadAsync(PageLog log, CancellationToken cancellationToken)
    {
        var index = new CallIndex();
        for (ulong lsn = log.Index.FirstLsn; lsn > 0 && lsn <= log.Index.LastLsn && await log.ReadAsync(lsn) is { } record; lsn++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            index.Add(record);
        }

        return index;
    }

    /// <summary>The call that an instance made under a number; null if it is not in this log.</summary>
    public MessagePosition? CallOf(string caller, long number) => _calls.TryGetValue((caller, number), out MessagePosition at) ? at : null;

    /// <summary>When the answer to this log's own call was logged, in ticks; 0 if it is not here.</summary>
    public long AnsweredAt(long number) => _answers.GetValueOrDefault(number);

    private void Add(PageRecord record)
    {
        for (int i = 0; i < record.Count; i++)
        {
            RpcHeader rpc = record[i];
            switch (CallText.KindOf(rpc))
            {
                case MessageKind.Call:
                    _calls.TryAdd((rpc.CallerName, rpc.CallNumber), new MessagePosition(record.Lsn, i));
                    break;
                case MessageKind.Reply or MessageKind.Exception:
                    _answers.TryAdd(rpc.CallNumber, record.Ticks);
                    break;
            }
        }
    }
}
