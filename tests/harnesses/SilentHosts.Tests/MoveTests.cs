using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.SilentHosts.Tests.Hosts;
using Ambrosia.SilentHosts.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.SilentHosts.Tests;

/// <summary>An instance whose store two hosts share goes from one to the other and back; its peer on a third host sees a pause and another
/// address.</summary>
public sealed class MoveTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task An_instance_is_moved_from_host_to_host_and_back_under_load_and_nothing_is_lost_or_doubled()
    {
        await using Network network = await Network.CreateAsync(hosts: 3);
        await using var sandbox = new Sandbox(output);
        NodeUnderTest[] places = [NodeOn(sandbox, network, 0, "bank", replica: 0), NodeOn(sandbox, network, 1, "bank", replica: 1)];
        NodeUnderTest teller = NodeOn(sandbox, network, 2, "teller", replica: null);
        var history = new History();
        var prober = new Prober(history);
        List<double> silences = [];
        NodeUnderTest serving = places[0];
        serving.Start();
        teller.Start();
        await prober.ReachAsync(teller, serving);
        var load = new Load(history, [serving, teller], HostSettings.Seed, clientsPerNode: 2);
        load.Start();
        for (int move = 0; move < HostSettings.Moves; move++)
        {
            NodeUnderTest next = places.Single(place => place != serving);
            Child old = serving.Coordinator!;
            next.StartCoordinator("", "--take-over");
            if (next.App is null or { HasExited: true })
            {
                next.StartApp();
            }

            await Wait.UntilAsync("the old one hands over", () =>
                old.Output.Contains("asks for this one's place", StringComparison.Ordinal), s_patience);
            var since = Stopwatch.StartNew();
            await prober.ReachAsync(teller, next);
            silences.Add(since.Elapsed.TotalMilliseconds);
            await old.Exited.WaitAsync(s_patience);
            Assert.Equal(0, old.ExitCode);
            serving = next;
        }

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, [serving, teller], s_patience);
        double[] sorted = [.. silences.Order()];
        string line = string.Create(
            CultureInfo.InvariantCulture,
            $"{sorted.Length} moves from host to host: min/median/max {sorted[0]:0}/{sorted[sorted.Length / 2]:0}/{sorted[^1]:0} ms from "
            + $"the hand-over to the next answered call; {history.Count} requests, {history.Answered} answered, "
            + $"{violations.Count} violations.");
        sandbox.Say(line);
        Report.Add("SilentHosts", line);
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > HostSettings.Moves * 10, "the clients got next to nothing done");
        await sandbox.PassedAsync();
    }

    private static NodeUnderTest NodeOn(Sandbox sandbox, Network network, int host, string name, int? replica) => new(
        sandbox, name, Layout.Sidecar, NodeSettings.Small with
        {
            Replica = replica,
            Launcher = network.LauncherOf(host),
            CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--peer-address", $"tcp:{Network.AddressOf(host)}:0",
                "--allow-plaintext-peers", "--heartbeat", "300ms"],
        });
}
