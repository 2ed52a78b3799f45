using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>A primary that is stopped keeps its lock: a secondary ends it and goes on.</summary>
public sealed class TakeoverTests(ITestOutputHelper output)
{
    [Fact]
    public async Task A_primary_that_is_stopped_is_ended_and_replaced_and_nothing_is_lost_or_doubled()
    {
        await using var sandbox = new Sandbox(output);
        NodeSettings settings = NodeSettings.Small with
            { CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--heartbeat", "300ms", "--takeover-after", "2s"] };
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", settings);
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, settings);
        NodeUnderTest[] nodes = [bank.All[0], teller];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 1);
        var prober = new Prober(history, teller, "bank");
        await using var supervisor = new Supervisor([.. bank.All, teller], history);
        supervisor.Start();
        await bank.CompleteAsync();
        load.Start();
        for (int stop = 0; stop < Counts.Stops; stop++)
        {
            NodeUnderTest primary = await bank.CompleteAsync();
            Child stopped = primary.Coordinator!;
            var since = Stopwatch.StartNew();
            await stopped.StopAsync();
            await prober.ReachAsync(since);
            await Wait.UntilAsync("the stopped process was ended", () => stopped.HasExited, TimeSpan.FromSeconds(10));
        }

        Assert.Contains(bank.All, static replica => replica.Coordinator!.Output.Contains("IC-3008", StringComparison.Ordinal));
        await load.StopAsync(TimeSpan.FromSeconds(60));
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, TimeSpan.FromSeconds(60));

        string summary = $"stopped with --takeover-after 2s: {prober.Summary}; {history.Answered} of {history.Count} requests answered, "
            + $"{violations.Count} violations";
        sandbox.Say(summary);
        Report.Add("Replicas", summary);
        Assert.Empty(violations.Take(50));
        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }
}
