using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>G13: new code takes over a running instance; a failure at any step leaves the old version serving.</summary>
public sealed class UpgradeTests(ITestOutputHelper output)
{
    private const int Replaced = 76;
    private const int UpgradeFailed = 77;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    // Where the new app or the coordinator dies, and whether the new version is the one afterwards.
    private static readonly (string Failpoint, Side Side, bool Upgraded)[] s_deaths =
    [
        ("", Side.App, true),
        ("B7", Side.App, false),
        ("B8", Side.App, false),
        ("", Side.App, true),
        ("K23", Side.Coordinator, false),
        ("K28", Side.Coordinator, false),
        ("K24", Side.Coordinator, true),
        ("fails", Side.App, false),
        ("K27", Side.Coordinator, true),
    ];

    [Fact]
    public async Task Nothing_is_lost_or_repeated_while_versions_change_under_load_and_processes_die_at_each_step()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        NodeUnderTest node = new(sandbox, "n1", Layout.Sidecar, NodeSettings.Small with
            { CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--log-level", "debug"] })
        {
            ReplayVersion = "both", // The log goes through every upgrade: a binary that knows them all comes to the same.
        };
        NodeUnderTest[] nodes = [node, new(sandbox, "n2", Layout.Sidecar, NodeSettings.Small)];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 3);
        await using var supervisor = new Supervisor(nodes, history) { Upgrades = true };
        supervisor.Start();
        await node.ReportAsync();
        await nodes[1].ReportAsync();
        load.Start();
        using var probe = new Probe(history, nodes[1], node);
        var silences = new List<double>();
        int failures = 0;
        for (int round = 0; round < Settings.Upgrades; round++)
        {
            (string failpoint, Side side, bool upgraded) = s_deaths[round % s_deaths.Length];
            sandbox.Say(await UpgradeAsync(supervisor, node, failpoint, side, upgraded, silences));
            failures += upgraded ? 0 : 1;
        }

        await probe.StopAsync();
        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, s_patience);
        silences.Sort();
        string summary = string.Create(CultureInfo.InvariantCulture,
            $"{Settings.Upgrades} upgrades and downgrades, {failures} of them failing as planned: silence "
            + $"{silences[silences.Count / 2]:0} ms at the median, {silences[^1]:0} ms at most, as the coordinator measures it; "
            + $"longest wait of a caller {probe.Longest.TotalMilliseconds:0} ms, deaths included. {history.Count} requests, "
            + $"{history.Answered} answered.");
        sandbox.Say(summary);
        Report.Add("EndToEnd", summary);
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > 100, "the clients got next to nothing done");
        Assert.True(probe.Answered > 50, "the probe got next to nothing done");
        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task The_command_brings_a_new_version_in_and_starts_it_again_when_it_is_killed()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "kept", Layout.Sidecar, NodeSettings.Small) { ReplayVersion = "both" };
        Child run = Command(sandbox, node, "1", "run");
        await node.AskAsync("submit one Note kept 0");
        Child failing = Command(sandbox, node, "2-fails", "upgrade");
        await failing.Exited.WaitAsync(s_patience);
        Assert.Equal(UpgradeFailed, failing.ExitCode);
        Assert.Contains("planted", failing.Output, StringComparison.Ordinal);
        Assert.Contains("The old version goes on", failing.Output, StringComparison.Ordinal);
        Assert.Equal(1, (await node.ReportAsync()).Version);

        Child upgrade = Command(sandbox, node, "2", "upgrade");
        await Wait.UntilAsync("the new version serves", async () => (await node.ReportAsync()).Version == 2, s_patience);
        await Wait.UntilAsync("both commands have said so", () => upgrade.Output.Contains(" became ", StringComparison.Ordinal)
            && run.Output.Contains("keeps the coordinator", StringComparison.Ordinal), s_patience);
        sandbox.Say(upgrade.Output);
        int app = Assert.Single(upgrade.Children());
        Assert.Equal(0, Posix.Kill(app, Posix.SignalKill));
        await node.AskAsync("submit two Self kept 0");
        NodeReport report = await node.ReportAsync();
        Assert.Equal((2, 2, 2, 1), (report.Version, report.Begun, report.Ended, report.FirstStarts));

        upgrade.Signal(Posix.Terminate);
        await upgrade.Exited.WaitAsync(s_patience);
        run.Signal(Posix.Terminate);
        await run.Exited.WaitAsync(s_patience);
        Child late = Command(sandbox, node, "2", "upgrade");
        await late.Exited.WaitAsync(s_patience);
        Assert.Contains("kept is not running", late.Output, StringComparison.Ordinal);
        Child shown = Child.Start(sandbox, "show", Executables.Command,
            ["log", "show", node.Name, "--store", sandbox.Store, "--catalog", sandbox.Catalog]);
        await shown.Exited.WaitAsync(s_patience);
        Assert.Matches("[0-9]+ +[0-9:.]+  the state was upgraded after [0-9]+, from EndToEnd.Node to EndToEnd.NodeV2", shown.Output);
        sandbox.Has(node);
        await sandbox.PassedAsync();
    }

    private static Child Command(Sandbox sandbox, NodeUnderTest node, string version, string verb) => Child.Start(
        sandbox, verb, Executables.Command,
        [verb, node.Name, "--store", sandbox.Store, "--catalog", sandbox.Catalog, "--", Executables.App],
        ("E2E_GATE", node.GatePath), ("E2E_VERSION", version));

    private static async Task<string> UpgradeAsync(Supervisor supervisor, NodeUnderTest node, string failpoint, Side side, bool upgraded,
        List<double> silences)
    {
        int before = (await node.ReportAsync()).Version;
        string goal = before == 1 ? "2" : "1-from-2";
        if (failpoint == "fails")
        {
            return await FailAsync(node, before);
        }

        if (side == Side.Coordinator)
        {
            await RestartCoordinatorAsync(supervisor, node, failpoint);
            await node.ReportAsync();
        }

        Child old = node.App!;
        string present = node.Version;
        node.Version = upgraded ? goal : present;
        Child successor = node.StartSuccessor(goal, side == Side.Coordinator ? "stop" : "wait", side == Side.App ? failpoint : "");
        if (failpoint.Length > 0)
        {
            await successor.Exited.WaitAsync(s_patience);
            Assert.Equal(side == Side.App ? Child.Killed : 75, successor.ExitCode);
        }
        else
        {
            await old.Exited.WaitAsync(s_patience);
            Assert.Equal(Replaced, old.ExitCode);
            node.Adopt(successor);
        }

        int after = await VersionAsync(node, upgraded ? 3 - before : before);
        if (failpoint.Length == 0)
        {
            silences.Add((await Admin.StatusAsync(node)).GetProperty("upgrade").GetProperty("silenceMilliseconds").GetDouble());
        }
        else if (side == Side.App)
        {
            Assert.False(old.HasExited);
        }

        IEnumerable<string> steps = node.Coordinator!.Output.Split('\n')
            .Where(static line => line.Contains("  Upgrade: ", StringComparison.Ordinal)).TakeLast(failpoint.Length == 0 ? 5 : 0);
        return $"version {before} to {3 - before}, {(failpoint.Length == 0 ? "nobody dies" : $"death at {failpoint}")}: {after} "
            + $"serves{string.Concat(steps.Select(static line => "\n   " + line))}";
    }

    // The old one must go on as if nothing had been.
    private static async Task<string> FailAsync(NodeUnderTest node, int before)
    {
        Child successor = node.StartSuccessor(before == 1 ? "2-fails" : "1-fails", "wait");
        await successor.Exited.WaitAsync(s_patience);
        Assert.Equal(UpgradeFailed, successor.ExitCode);
        Assert.Contains("planted", successor.Output, StringComparison.Ordinal);
        Assert.False(node.App!.HasExited);
        Assert.Equal(before, (await node.ReportAsync()).Version);
        return $"version {before}, the conversion throws: {before} serves";
    }

    // The supervisor must not be faster with one that is not armed.
    private static async Task RestartCoordinatorAsync(Supervisor supervisor, NodeUnderTest node, string failpoint)
    {
        supervisor.Arm(node, Side.Coordinator, failpoint);
        Child killed = node.Coordinator!;
        await killed.KillAsync();
        await Wait.UntilAsync("the coordinator was started again", () => node.Coordinator != killed, s_patience);
    }

    private static async Task<int> VersionAsync(NodeUnderTest node, int expected)
    {
        var watch = Stopwatch.StartNew();
        int version = 0;
        while (watch.Elapsed < s_patience && (version = (await node.ReportAsync()).Version) != expected)
        {
            await Task.Delay(20);
        }

        Assert.Equal(expected, version);
        return version;
    }
}
