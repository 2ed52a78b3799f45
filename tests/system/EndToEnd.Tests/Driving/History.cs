using System.Collections.Concurrent;
using System.Globalization;
using EndToEnd;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>What the clients did and saw: the truth that the nodes' state is held against.</summary>
internal sealed class History
{
    private readonly ConcurrentDictionary<string, Request> _requests = new();
    private readonly ConcurrentQueue<string> _violations = new();
    private long _answered;

    public int Count => _requests.Count;

    public long Answered => Interlocked.Read(ref _answered);

    public long Unknown => _requests.Values.Count(static r => r.Outcome == Outcome.Unknown);

    public IEnumerable<Request> Waiting => _requests.Values.Where(static r => r.Outcome == Outcome.Waiting);

    public void Violated(string what) => _violations.Enqueue(what);

    public void Begin(Request request) => _requests[request.Id] = request;

    public void End(Request request, string answer)
    {
        request.Outcome = Outcome.Answered;
        Interlocked.Increment(ref _answered);
        if (answer != request.Expected.ToString(CultureInfo.InvariantCulture))
        {
            Violated($"{request.Id} {request.Kind} was answered {answer}, expected {request.Expected}");
        }
    }

    /// <summary>Everything in which the nodes' state differs from what the clients know. Empty when all is well.</summary>
    public IReadOnlyList<string> Audit(IReadOnlyDictionary<string, NodeReport> reports)
    {
        var found = new List<string>(_violations);
        foreach ((string node, NodeReport report) in reports)
        {
            found.AddRange(report.Violations.Select(v => $"{node}: {v}"));
            if (report.FirstStarts != 1)
            {
                found.Add($"{node}: OnFirstStart ran {report.FirstStarts} times");
            }

            if (report.Begun != report.Ended)
            {
                found.Add($"{node}: {report.Begun} requests begun, {report.Ended} ended");
            }

            foreach ((string peer, long sent) in report.Sent)
            {
                long received = reports.TryGetValue(peer, out NodeReport? other) ? other.Received.GetValueOrDefault(node) : 0;
                if (received != sent)
                {
                    found.Add($"{node} sent {sent} messages to {peer}, which received {received}");
                }
            }
        }

        AuditEffects(reports, found);
        return found;
    }

    private void AuditEffects(IReadOnlyDictionary<string, NodeReport> reports, List<string> found)
    {
        var expected = new Dictionary<string, HashSet<string>>();
        foreach (Request request in _requests.Values)
        {
            bool happened = request.Outcome == Outcome.Answered || reports[request.Node].Effects.ContainsKey($"{request.Id} begun");
            foreach ((string node, string effect) in happened ? request.Effects() : [])
            {
                string key = $"{request.Id} {effect}";
                (expected.TryGetValue(node, out HashSet<string>? keys) ? keys : expected[node] = []).Add(key);
                int times = reports[node].Effects.GetValueOrDefault(key);
                if (times != 1)
                {
                    found.Add($"{(times == 0 ? "lost" : "duplicated")}: {key} at {node} {times} times ({request.Outcome})");
                }
            }
        }

        foreach ((string node, NodeReport report) in reports)
        {
            found.AddRange(report.Effects.Keys.Where(key => !expected.GetValueOrDefault(node, []).Contains(key))
                .Select(key => $"from nowhere: {key} at {node}"));
        }
    }
}
