using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>G1, G2, G8: whatever is killed and however often, nothing is lost, repeated or out of order.</summary>
public sealed class ChaosTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Nothing_is_lost_repeated_or_reordered_while_processes_are_killed_at_named_points_and_at_random()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        var watch = Stopwatch.StartNew();
        NodeUnderTest[] nodes =
        [
            new(sandbox, "n1", Layout.Sidecar, NodeSettings.Trimmed),
            new(sandbox, "n2", Layout.Tied, NodeSettings.Trimmed),
            new(sandbox, "n3", Layout.Embedded, NodeSettings.Trimmed),
        ];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 4);
        await using var supervisor = new Supervisor(nodes, history);
        var chaos = new Chaos(sandbox, nodes, supervisor, Settings.Seed);
        supervisor.Start();
        await chaos.RecoverAsync(nodes);
        load.Start();
        await KillByPlanAsync(chaos, supervisor);

        await load.StopAsync(TimeSpan.FromSeconds(60));
        (IReadOnlyList<string> violations, IReadOnlyDictionary<string, NodeReport> reports) =
            await Auditor.AuditAsync(history, nodes, TimeSpan.FromSeconds(60));

        sandbox.Say(chaos.Summary);
        sandbox.Say($"{history.Count} requests, {history.Answered} answered, {history.Unknown} with unknown outcome; "
            + $"{reports.Values.Sum(static r => r.Received.Values.Sum())} messages and "
            + $"{reports.Values.Sum(static r => r.CountTold.Values.Sum())} impulses between nodes; "
            + $"logs of {string.Join(", ", nodes.Select(static n => $"{n.LogBytes() >> 20} MiB"))}; {watch.Elapsed.TotalSeconds:0} s.");
        Assert.Empty(violations.Take(50));
        Assert.True(chaos.Kills + supervisor.FailpointDeaths >= Settings.Kills, "too few kills to mean anything");
        Assert.True(history.Answered > chaos.Kills, "the clients got next to nothing done");
        foreach ((string point, _) in FailpointPlan.Coordinator.Concat(FailpointPlan.App))
        {
            Assert.True(chaos.Fired.GetValueOrDefault(point) >= Settings.TimesPerPoint,
                $"{point} was reached {chaos.Fired.GetValueOrDefault(point)} times only");
        }

        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }

    private static async Task KillByPlanAsync(Chaos chaos, Supervisor supervisor)
    {
        foreach ((string point, int passings) in FailpointPlan.Coordinator)
        {
            await chaos.DieAtAsync(Side.Coordinator, point, passings, Settings.TimesPerPoint);
        }

        foreach ((string point, int passings) in FailpointPlan.App)
        {
            await chaos.DieAtAsync(Side.App, point, passings, Settings.TimesPerPoint);
        }

        while (chaos.Kills + supervisor.FailpointDeaths < Settings.Kills)
        {
            await chaos.KillSomebodyAsync();
        }
    }
}
