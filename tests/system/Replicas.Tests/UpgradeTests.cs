using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>G13 with replicas: the primary's app is replaced, the others begin again as the new version; any that dies at whichever
/// step.</summary>
public sealed class UpgradeTests(ITestOutputHelper output)
{
    private const int LostCoordinator = 75;
    private const int Replaced = 76;
    private const int UpgradeFailed = 77;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    // Where the new app or the primary's coordinator dies, and whether the new version is the one afterwards.
    private static readonly (string Failpoint, Side Side, bool Upgraded)[] s_deaths =
    [
        ("", Side.App, true),
        ("K24", Side.Coordinator, true),
        ("B7", Side.App, false),
        ("K23", Side.Coordinator, false),
        ("K27", Side.Coordinator, true),
        ("", Side.App, true),
        ("K28", Side.Coordinator, false),
        ("fails", Side.App, false),
        ("B8", Side.App, false),
    ];

    [Fact]
    public async Task Nothing_is_lost_or_repeated_while_versions_of_a_replicated_instance_change_and_processes_die_at_each_step()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", NodeSettings.Small, version: "both");
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, NodeSettings.Small);
        NodeUnderTest[] nodes = [bank.All[0], teller];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 2);
        await using var supervisor = new Supervisor([.. bank.All, teller], history) { Upgrades = true };
        bank.All[0].Version = "1";
        bank.All[0].Start();
        await bank.PrimaryAsync();
        bank.All[0].Version = "both"; // From its next start on: what serves first knows nothing of a second version.
        supervisor.Start();
        await bank.CompleteAsync();
        load.Start();
        var silences = new List<double>();
        int version = 1;
        for (int round = 0; round < Counts.Upgrades; round++)
        {
            (string failpoint, Side side, bool upgraded) = s_deaths[round % s_deaths.Length];
            NodeUnderTest primary = side == Side.Coordinator ? await LeadAsync(bank, supervisor, failpoint) : await bank.CompleteAsync();
            Child[] others = [.. bank.All.Where(replica => replica != primary).Select(static replica => replica.Coordinator!)];
            Assert.Equal(version, (await primary.ReportAsync()).Version);
            int goal = upgraded ? 3 - version : version;
            await UpgradeAsync(primary, version, failpoint, side);
            await Wait.UntilAsync($"version {goal} serves", async () => (await primary.ReportAsync()).Version == goal, s_patience);
            sandbox.Say($"version {version} to {3 - version}, {(failpoint.Length == 0 ? "nobody dies" : failpoint)}: {goal} serves");
            if (failpoint.Length == 0)
            {
                silences.Add((await Admin.StatusAsync(primary)).GetProperty("upgrade").GetProperty("silenceMilliseconds").GetDouble());
                await Task.WhenAll(others.Select(static other => other.Exited.WaitAsync(s_patience)));
                Assert.All(others, static other => Assert.Contains("IC-3010", other.Output, StringComparison.Ordinal));
            }

            version = goal;
        }

        await bank.CompleteAsync();
        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, s_patience);
        silences.Sort();
        string summary = string.Create(CultureInfo.InvariantCulture,
            $"{Counts.Upgrades} upgrades and downgrades of three replicas, a death or a failure in {Counts.Upgrades - silences.Count} of "
            + $"them: silence {silences[silences.Count / 2]:0} ms at the median, {silences[^1]:0} ms at most, "
            + $"as the coordinator measures it; {history.Count} requests, {history.Answered} answered, {history.Unknown} with unknown "
            + $"outcome, {violations.Count} violations");
        sandbox.Say(summary);
        Report.Add("Replicas", summary);
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > Counts.Upgrades * 10, "the clients got next to nothing done");
        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }

    /// <summary>A replica whose coordinator will die at this point of an upgrade becomes the primary.</summary>
    private static async Task<NodeUnderTest> LeadAsync(ReplicaSet bank, Supervisor supervisor, string failpoint)
    {
        NodeUnderTest primary = await bank.CompleteAsync();
        NodeUnderTest armed = bank.All.First(replica => replica != primary);
        Child before = armed.Coordinator!;
        supervisor.Arm(armed, Side.Coordinator, failpoint);
        await armed.KillAsync(Side.Coordinator);
        await Wait.UntilAsync("the armed replica was started", () => armed.Coordinator != before, s_patience);
        while ((primary = await bank.CompleteAsync()) != armed)
        {
            await primary.KillAsync(Side.Coordinator);
        }

        return armed;
    }

    private static async Task UpgradeAsync(NodeUnderTest primary, int version, string failpoint, Side side)
    {
        string goal = (version, failpoint) switch { (1, "fails") => "2-fails", (_, "fails") => "1-fails", (1, _) => "2", _ => "1-from-2" };
        Child old = primary.App!;
        Child successor = primary.StartSuccessor(goal, side == Side.Coordinator ? "stop" : "wait", side == Side.App && failpoint != "fails"
            ? failpoint : "");
        if (failpoint.Length == 0)
        {
            primary.Adopt(successor);
            await old.Exited.WaitAsync(s_patience);
            Assert.Equal(Replaced, old.ExitCode);
            return;
        }

        await successor.Exited.WaitAsync(s_patience);
        Assert.Equal(side == Side.Coordinator ? LostCoordinator : failpoint == "fails" ? UpgradeFailed : Child.Killed, successor.ExitCode);
    }
}
