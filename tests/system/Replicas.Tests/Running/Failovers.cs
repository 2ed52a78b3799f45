using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;

namespace Ambrosia.Replicas.Tests.Running;

/// <summary>Three replicas and somebody who calls them, under load, on any store; the course of the tests that end primaries.</summary>
internal static class Failovers
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    /// <summary>Kills the primary again and again; supervised, so that what was killed comes back and follows. Returns what was measured,
    /// in one line.</summary>
    public static async Task<string> KillAsync(Sandbox sandbox, NodeSettings settings, int kills)
    {
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        var random = new Random(Settings.Seed);
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", settings);
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, settings);
        NodeUnderTest[] nodes = [bank.All[0], teller];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 2);
        var prober = new Prober(history, teller, "bank");
        await using var supervisor = new Supervisor([.. bank.All, teller], history);
        supervisor.Start();
        await bank.CompleteAsync();
        await prober.ReachAsync();
        load.Start();
        for (int kill = 0; kill < kills; kill++)
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

        string summary = await EndAsync(sandbox, load, history, nodes, prober);
        Assert.True(history.Answered > kills * 10, "the clients got next to nothing done");
        await supervisor.StopAsync();
        return summary;
    }

    /// <summary>
    /// Stops the primary until a secondary has its place, and lets it go on: it must end by itself, with the exit code of a lease that is
    /// lost. Then it is started again, as a supervisor would.
    /// </summary>
    /// <param name="sandbox">Where they run.</param>
    /// <param name="settings">The store, and how they share it.</param>
    /// <param name="stops">How often.</param>
    /// <param name="lengths">What of the log only a stopped primary could still write, in words.</param>
    public static async Task<string> StopAsync(Sandbox sandbox, NodeSettings settings, int stops, Func<Task<string>> lengths)
    {
        const int leaseLost = 43;
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", settings);
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, settings);
        var history = new History();
        var load = new Load(history, [teller], Settings.Seed, clientsPerNode: 2) { Servers = [bank.All[0]] };
        var prober = new Prober(history, teller, "bank") { Event = "stop" };
        bank.All.Append(teller).ToList().ForEach(static node => node.Start());
        await bank.CompleteAsync();
        load.Start();
        for (int stop = 0; stop < stops; stop++)
        {
            NodeUnderTest zombie = await bank.CompleteAsync();
            Child stopped = zombie.Coordinator!;
            var since = Stopwatch.StartNew();
            await stopped.StopAsync();
            await prober.ReachAsync(since);
            string before = await lengths();
            stopped.Signal(Posix.Continue);
            await stopped.Exited.WaitAsync(s_patience);
            Assert.True(stopped.ExitCode == leaseLost, stopped.Output);
            Assert.StartsWith(before, await lengths(), StringComparison.Ordinal);
            zombie.Start();
        }

        await bank.CompleteAsync();
        return await EndAsync(sandbox, load, history, [bank.All[0], teller], prober);
    }

    private static async Task<string> EndAsync(Sandbox sandbox, Load load, History history, NodeUnderTest[] nodes, Prober prober)
    {
        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, s_patience);
        string summary = $"{prober.Summary}; {history.Count} requests, {history.Answered} answered, {history.Unknown} with unknown "
            + $"outcome, {violations.Count} violations";
        sandbox.Say(summary);
        Assert.Empty(violations.Take(50));
        return summary;
    }
}
