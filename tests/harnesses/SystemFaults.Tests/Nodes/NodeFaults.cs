using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.SystemFaults.Tests.Running;
using Ambrosia.SystemFaults.Tests.Shim;
using EndToEnd;

namespace Ambrosia.SystemFaults.Tests.Nodes;

/// <summary>
/// A coordinator that serves an app and a peer is started again and again, each time with another system call that will fail. It goes on,
/// or ends with its code and text; in the end an auditor compares.
/// </summary>
internal sealed class NodeFaults(Sandbox sandbox, Random random)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(240);
    private const string Hung = "hung";
    private const int CheckpointsToReach = 4;
    private readonly FaultTable _table = new();
    private readonly List<string> _violations = [];
    private readonly History _history = new();

    /// <summary>Exit codes by which a coordinator may answer a failing device, lock or address.</summary>
    private static readonly int[] s_codes = [41, 42, 43, 69];

    public async Task<(FaultTable Table, IReadOnlyList<string> Violations, string Summary)> RunAsync(int faults)
    {
        string report = Path.Combine(sandbox.Folder, "faults.txt");
        NodeUnderTest peer = new(sandbox, "n2", Layout.Sidecar, NodeSettings.Small);
        NodeUnderTest clean = new(sandbox, "n1", Layout.Sidecar, NodeSettings.Small);
        peer.Start();
        clean.Start();
        await clean.AskAsync("save", s_patience);
        var load = new Load(_history, [clean, peer], random.Next(), clientsPerNode: 2);
        load.Start();
        foreach (Fault fault in Plan(faults))
        {
            File.Delete(report);
            if (!await SufferAsync(clean, fault, report))
            {
                // What does not come back now does not come back for the next fault either.
                return (_table, _violations, "given up before the end");
            }
        }

        await ServeAsync(clean);
        await load.StopAsync(s_patience);
        (IReadOnlyList<string> found, IReadOnlyDictionary<string, NodeReport> reports) =
            await Auditor.AuditAsync(_history, [clean, peer], s_patience);
        string summary = string.Create(CultureInfo.InvariantCulture,
            $"{_history.Count} requests, {_history.Answered} answered, {_history.Unknown} with unknown outcome; "
            + $"{reports.Values.Sum(static r => r.Received.Values.Sum())} messages between nodes.");
        return (_table, [.. _violations, .. found], summary);
    }

    /// <summary>Every pair of call and file in turn, each with an error of its own.</summary>
    private IEnumerable<Fault> Plan(int faults)
    {
        (string Call, string Kind, int Most)[] places =
        [
            ("fdatasync", "segment", 30), ("pwrite", "segment", 40), ("fsync", "segment aside", 1), ("fsync", "folder", 6),
            ("open", "segment", 6), ("open", "lock", 1), ("flock", "lock", 1),
            ("renameat2", "segment", 1), ("pread", "segment", 10), ("pread", "checkpoint", 6), ("open", "checkpoint", 3),
            ("pwrite", "checkpoint aside", 4), ("fdatasync", "checkpoint aside", 1),
            ("rename", "checkpoint", 1), ("fsync", "manifest aside", 1), ("rename", "manifest", 1), ("unlink", "checkpoint", 1),
            ("statx", "segment", 6), ("statfs", "folder", 1),
            ("opendir", "folder", 8), ("ftruncate", "segment", 1), ("mkdir", "folder", 3), ("close", "segment", 4),
            ("pread", "manifest", 2), ("ftruncate", "lock", 1),
            ("accept4", "socket", 3), ("recv", "socket", 40), ("recvmsg", "socket", 10), ("sendmsg", "socket", 40), ("send", "socket", 20),
            ("connect", "socket", 2), ("socket", "socket", 5),
        ];
        for (int i = 0; i < faults; i++)
        {
            (string call, string kind, int most) = places[i % places.Length];
            int[] errors = (kind == "socket" ? FaultErrors.OfSockets : FaultErrors.OfFiles)[call];
            int error = errors[random.Next(errors.Length)];
            bool forEver = kind != "socket" && error is not (FaultErrors.Short or FaultErrors.Interrupted) && random.Next(3) == 0;
            bool slow = call == "fdatasync" && random.Next(4) == 0;
            yield return slow
                ? new Fault(call, kind, random.Next(1, most + 1), 0, 3, DelayMs: random.Next(100, 1000))
                : new Fault(call, kind, random.Next(1, most + 1), error, forEver ? 0 : 1);
        }
    }

    /// <summary>False when nothing can be tried any more.</summary>
    private async Task<bool> SufferAsync(NodeUnderTest node, Fault fault, string report)
    {
        await node.KillAsync(Side.Coordinator);
        Child coordinator = node.StartCoordinator(
            [("LD_PRELOAD", FaultShim.Path), ("AMBROSIA_FAULT", FaultShim.Describe(Path.Combine(sandbox.Folder, "store"), fault)),
                ("AMBROSIA_FAULT_REPORT", report)]);
        var watch = Stopwatch.StartNew();
        // Work enough to come by most calls; a passing that is not reached by then is not waited for.
        for (int answered = 0; answered < CheckpointsToReach && !coordinator.HasExited && !File.Exists(report) && watch.Elapsed < s_patience
            && !HasLostItsApp(node, fault);)
        {
            answered += await NudgeAsync(node) ? 1 : 0;
        }

        bool struck = File.Exists(report);
        string outcome = struck ? await JudgeAsync(node, coordinator, fault) : "not reached";
        if (!struck && coordinator.HasExited)
        {
            _violations.Add($"{fault}: without a fault the coordinator ended with code {coordinator.ExitCode}: {Last(coordinator)}");
        }
        else if (!struck && watch.Elapsed >= s_patience)
        {
            _violations.Add($"{fault}: before it struck, the coordinator neither served nor ended within {s_patience.TotalSeconds:0} s");
        }

        _table.Add(fault, struck, outcome);
        return outcome != Hung && watch.Elapsed < s_patience && !HasLostItsApp(node, fault);
    }

    /// <summary>An app that was told to wait for its coordinator must outlive every one.</summary>
    private bool HasLostItsApp(NodeUnderTest node, Fault fault)
    {
        if (node.App is not { HasExited: true } app)
        {
            return false;
        }

        string line = $"{fault}: the app ended with code {app.ExitCode}: {app.Output.Split('\n')[^1]}";
        if (!_violations.Contains(line))
        {
            _violations.Add(line);
        }

        return true;
    }

    /// <summary>After the strike: ended with a code, or serving.</summary>
    private async Task<string> JudgeAsync(NodeUnderTest node, Child coordinator, Fault fault)
    {
        var watch = Stopwatch.StartNew();
        while (watch.Elapsed < s_patience && !HasLostItsApp(node, fault))
        {
            if (coordinator.HasExited)
            {
                await coordinator.Exited;
                string last = Last(coordinator);
                int at = last.IndexOf("IC-", StringComparison.Ordinal);
                if (!s_codes.Contains(coordinator.ExitCode) || at < 0)
                {
                    _violations.Add($"{fault}: the coordinator ended with code {coordinator.ExitCode}: {last}");
                    return "ended otherwise";
                }

                return $"stopped: {last.Substring(at, 7)}";
            }

            if (await NudgeAsync(node))
            {
                return "went on";
            }
        }

        _violations.Add($"{fault}: the coordinator neither served nor ended within {s_patience.TotalSeconds:0} s");
        return Hung;
    }

    /// <summary>Asks for a checkpoint; true when it was answered.</summary>
    private static async Task<bool> NudgeAsync(NodeUnderTest node)
    {
        using GateClient? gate = await GateClient.TryConnectAsync(node.GatePath);
        try
        {
            if (gate is not null)
            {
                await gate.AskAsync("save").WaitAsync(TimeSpan.FromSeconds(1));
                return true;
            }
        }
        catch (Exception error) when (error is GateClosedException or TimeoutException)
        {
            // It recovers, or has ended.
        }

        await Task.Delay(20);
        return false;
    }

    private static async Task ServeAsync(NodeUnderTest node)
    {
        await node.KillAsync(Side.Coordinator);
        node.StartCoordinator();
        await node.AskAsync("save", s_patience);
    }

    private static string Last(Child child) => child.Output.Split('\n')
        .LastOrDefault(static line => line.Contains("IC-", StringComparison.Ordinal)) ?? child.Output.Split('\n')[^1];
}
