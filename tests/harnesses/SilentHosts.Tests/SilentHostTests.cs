using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.SilentHosts.Tests.Hosts;
using Ambrosia.SilentHosts.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.SilentHosts.Tests;

/// <summary>G1 over a real network stack: hosts vanish without FIN or RST, cables are pulled, packets get lost one way.</summary>
public sealed class SilentHostTests(ITestOutputHelper output)
{
    private const int Hosts = 3;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(240);

    [Fact]
    public async Task Nothing_is_lost_repeated_or_reordered_when_hosts_vanish_without_a_word_and_networks_are_cut()
    {
        var watch = Stopwatch.StartNew();
        await using Network network = await Network.CreateAsync(Hosts);
        await using var sandbox = new Sandbox(output);
        Say(sandbox, string.Create(CultureInfo.InvariantCulture, $"AMBROSIA_HOST_SEED={HostSettings.Seed}"));
        NodeUnderTest[] nodes = [.. Enumerable.Range(0, Hosts).Select(host => NodeOn(sandbox, network, host))];
        var history = new History();
        var chaos = new HostChaos(network, nodes, history, new Random(HostSettings.Seed));
        var load = new Load(history, nodes, HostSettings.Seed, clientsPerNode: 3);
        await chaos.StartAsync();
        load.Start();
        while (chaos.Deaths < HostSettings.Deaths || chaos.Cuts < HostSettings.Cuts)
        {
            bool death = chaos.Cuts * HostSettings.Deaths >= chaos.Deaths * HostSettings.Cuts;
            await (death ? chaos.LetVanishAsync() : chaos.CutAsync());
        }

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, IReadOnlyDictionary<string, NodeReport> reports) =
            await Auditor.AuditAsync(history, nodes, s_patience);
        Print(sandbox, chaos, history, reports, watch.Elapsed);
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > chaos.Deaths, "the clients got next to nothing done");
        await sandbox.PassedAsync();
    }

    private static NodeUnderTest NodeOn(Sandbox sandbox, Network network, int host) => new(
        sandbox, string.Create(CultureInfo.InvariantCulture, $"n{host + 1}"), Layout.Sidecar, NodeSettings.Small with
        {
            Launcher = network.LauncherOf(host),
            CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--peer-address", $"tcp:{Network.AddressOf(host)}:0",
                "--allow-plaintext-peers", "--heartbeat", "300ms"],
        });

    private static void Print(Sandbox sandbox, HostChaos chaos, History history, IReadOnlyDictionary<string, NodeReport> reports,
        TimeSpan elapsed)
    {
        Say(sandbox, string.Create(CultureInfo.InvariantCulture,
            $"{chaos.Deaths} hosts vanished without a word, {chaos.Cuts} cuts that nobody died of, in {elapsed.TotalSeconds:0} s:"));
        Say(sandbox, $"  {string.Join(", ", chaos.Kinds.Select(static pair => $"{pair.Key} {pair.Value}"))}.");
        Say(sandbox, $"Peers noticed after {chaos.Noticed} with a heartbeat of 300 ms.");
        Say(sandbox, $"Served again, calls both ways: after a death {chaos.ServedAfterDeath}; after a cut {chaos.ServedAfterCut}.");
        Say(sandbox, $"{history.Count} requests, {history.Answered} answered, {history.Unknown} with unknown outcome; "
            + $"{reports.Values.Sum(static r => r.Received.Values.Sum())} messages between hosts.");
    }

    private static void Say(Sandbox sandbox, string line)
    {
        sandbox.Say(line);
        Report.Add("SilentHosts", line);
    }
}
