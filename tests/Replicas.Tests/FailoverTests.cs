using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>G1, G2, G7: a secondary takes the primary's place, and nobody who sends or is sent to sees more of it than a pause.</summary>
public sealed class FailoverTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Nothing_is_lost_or_doubled_while_the_primary_is_killed_again_and_again()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        var random = new Random(Settings.Seed);
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", NodeSettings.Small);
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, NodeSettings.Small);
        NodeUnderTest[] nodes = [bank.All[0], teller];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 2);
        var prober = new Prober(history, teller, "bank");
        await using var supervisor = new Supervisor([.. bank.All, teller], history);
        supervisor.Start();
        await bank.CompleteAsync();
        await prober.ReachAsync();
        load.Start();
        for (int kill = 0; kill < Counts.Kills; kill++)
        {
            NodeUnderTest primary = random.Next(4) == 0 ? await bank.PrimaryAsync() : await bank.CompleteAsync();
            await Task.Delay(random.Next(200)); // Into the middle of whatever is going on.
            var since = Stopwatch.StartNew();
            Task<bool> app = random.Next(3) == 0 ? Task.FromResult(true) : primary.KillAsync(Side.App);
            Assert.True(await primary.KillAsync(Side.Coordinator));
            TimeSpan silence = await prober.ReachAsync(since);
            await app;
            sandbox.Say($"{primary} was killed: {silence.TotalMilliseconds:0} ms until {await bank.PrimaryAsync()} answered");
        }

        await load.StopAsync(TimeSpan.FromSeconds(60));
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, TimeSpan.FromSeconds(60));

        string summary = $"{prober.Summary}; {history.Count} requests, {history.Answered} answered, {history.Unknown} with unknown outcome, {violations.Count} violations";
        sandbox.Say(summary);
        Report.Add("Replicas", summary);
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > Counts.Kills * 10, "the clients got next to nothing done");
        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }
}
