using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Inspection;
using Ambrosia.Inspection.Log;
using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;

namespace Ambrosia.Cli.History.Tracing;

/// <summary>
/// Which message made which other one, from the logs alone: a message's number says which record of its sender made it, a reply belongs to
/// its call. Nothing travels for that, and the same messages always get the same ids.
/// </summary>
internal sealed class MessageCauses(PageLogs logs)
{
    private readonly Dictionary<string, TracedLog?> _logs = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Instance, MessagePosition At), string> _traces = [];

    /// <summary>The message as a span.</summary>
    public async Task<LogSpan> SpanOfAsync(string instance, MessagePosition at, CancellationToken cancellationToken)
    {
        IReadOnlyList<(string, MessagePosition)> causes = await CausesOfAsync(instance, at, cancellationToken);
        string trace = await TraceOfAsync((instance, at), causes, cancellationToken);
        return new LogSpan(trace, SpanId(instance, at), causes, await AnsweredAsync(instance, at, cancellationToken));
    }

    /// <summary>The id that a message has as a span.</summary>
    public static string SpanId(string instance, MessagePosition at) => Hash("span", instance, at)[..16];

    // Up to where the trace is known or begins, and back; not by recursion, because a chain of messages may be as long as the log.
    private async Task<string> TraceOfAsync((string Instance, MessagePosition At) message,
        IReadOnlyList<(string Instance, MessagePosition At)> causes, CancellationToken cancellationToken)
    {
        var path = new List<(string Instance, MessagePosition At)>();
        var seen = new HashSet<(string, MessagePosition)>();
        string? trace;
        while (!_traces.TryGetValue(message, out trace))
        {
            path.Add(message);
            seen.Add(message);
            if (causes.Count == 0 || seen.Contains(causes[0]))
            {
                trace = Hash("trace", message.Instance, message.At)[..32];
                break;
            }

            message = causes[0];
            causes = await CausesOfAsync(message.Instance, message.At, cancellationToken);
        }

        path.ForEach(passed => _traces[passed] = trace);
        return trace;
    }

    private async Task<IReadOnlyList<(string Instance, MessagePosition At)>> CausesOfAsync(string instance, MessagePosition at,
        CancellationToken cancellationToken)
    {
        if (await FindAsync(instance, cancellationToken) is not { } log || await log.ReadAsync(at.Lsn) is not { } record
            || at.Index >= record.Count)
        {
            return [];
        }

        string sender = record.SenderOf(at.Index);
        if (await FindAsync(sender, cancellationToken) is not { } source)
        {
            return [];
        }

        if (AnsweredCall(record, at.Index) is { } number)
        {
            return source.Calls.CallOf(instance, number) is { } call ? [(sender, call)] : [];
        }

        return record.NumberOf(at.Index) is { } place ? [.. source.SendersOf(instance, place).Select(position => (sender, position))] : [];
    }

    private static long? AnsweredCall(PageRecord record, int index) =>
        record[index] is { Form: not RpcForm.Call } reply ? reply.CallNumber : null;

    private async Task<long> AnsweredAsync(string instance, MessagePosition at, CancellationToken cancellationToken)
    {
        if (await FindAsync(instance, cancellationToken) is not { } log || await log.ReadAsync(at.Lsn) is not { } record
            || at.Index >= record.Count || CallText.KindOf(record[at.Index]) != MessageKind.Call)
        {
            return 0;
        }

        long number = record[at.Index].CallNumber;
        return await FindAsync(record.SenderOf(at.Index), cancellationToken) is { } caller ? caller.Calls.AnsweredAt(number) : 0;
    }

    private async Task<TracedLog?> FindAsync(string instance, CancellationToken cancellationToken)
    {
        if (!_logs.TryGetValue(instance, out TracedLog? log))
        {
            PageLog? opened = instance.Length == 0 ? null : await logs.FindAsync(instance, cancellationToken);
            _logs[instance] = log = opened is null ? null : await TracedLog.OpenAsync(opened, cancellationToken);
        }

        return log;
    }

    private static string Hash(string what, string instance, MessagePosition at) =>
        Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{what} {instance} {at}"))))
        .ToLowerInvariant();
}
