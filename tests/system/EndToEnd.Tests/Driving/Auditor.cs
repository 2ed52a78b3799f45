using System.Diagnostics;
using EndToEnd;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>Waits until nothing moves any more and compares.</summary>
internal static class Auditor
{
    /// <summary>Returns what is wrong once everything has come to rest; what is only late is waited for.</summary>
    public static async Task<(IReadOnlyList<string> Violations, IReadOnlyDictionary<string, NodeReport> Reports)> AuditAsync(
        History history, IReadOnlyList<NodeUnderTest> nodes, TimeSpan patience)
    {
        var watch = Stopwatch.StartNew();
        while (true)
        {
            var reports = new Dictionary<string, NodeReport>();
            foreach (NodeUnderTest node in nodes)
            {
                reports[node.Name] = await node.ReportAsync();
            }

            IReadOnlyList<string> violations = history.Audit(reports);
            if (violations.Count == 0 || watch.Elapsed > patience)
            {
                return (violations, reports);
            }

            await Task.Delay(100);
        }
    }
}
