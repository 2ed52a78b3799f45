using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.SilentHosts.Tests.Hosts;
using Ambrosia.SilentHosts.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.SilentHosts.Tests;

/// <summary>
/// The data connection alone is cut, and the control connection, on which heartbeats go, is not: the system notices (docs/operate/run.md,
/// "Connections"), and the link is made again.
/// </summary>
public sealed class CutDataTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(120);

    // What is documented, and as much again for a machine that does other things: without the keep-alive it is 15 minutes, with one that is
    // longer than 3 s one pause more, so twice as much.
    [Theory]
    [InlineData(true, true, 8)]
    [InlineData(false, true, 8)] // Nothing gets there.
    [InlineData(true, false, 22)] // Nothing comes back.
    public async Task A_data_connection_that_is_cut_alone_is_noticed_and_made_again_and_nothing_is_lost_or_doubled(
        bool incoming, bool outgoing, int seconds)
    {
        await using Network network = await Network.CreateAsync(hosts: 2);
        await using var sandbox = new Sandbox(output);
        NodeUnderTest[] nodes = [NodeOn(sandbox, network, 0, "from"), NodeOn(sandbox, network, 1, "to")];
        foreach (NodeUnderTest node in nodes)
        {
            node.Start();
        }

        var history = new History();
        var prober = new Prober(history);
        await prober.ReachAsync(nodes[0], nodes[1]);
        var load = new Load(history, nodes, HostSettings.Seed, clientsPerNode: 2);
        load.Start();

        string address = (await Admin.StatusAsync(nodes[1])).GetProperty("peerAddress").GetString()!;
        int listener = int.Parse(address[(address.LastIndexOf(':') + 1)..], CultureInfo.InvariantCulture);
        int data = 0;
        await Wait.UntilAsync(
            "two connections go there, of which one has carried nearly everything",
            () =>
            {
                KeyValuePair<int, long>[] found = [.. network.ConnectionsTo(0, listener).OrderByDescending(static pair => pair.Value)];
                data = found is [var first, ..] ? first.Key : 0;
                return found.Length == 2 && found[0].Value > 200_000 && found[0].Value > 10 * found[1].Value;
            },
            s_patience);

        network.CutConnection(0, data, listener, incoming, outgoing);
        var watch = Stopwatch.StartNew();
        await Wait.UntilAsync("the sender gives up what was cut", () => !network.ConnectionsTo(0, listener).ContainsKey(data), s_patience);
        TimeSpan noticed = watch.Elapsed;
        network.Join(0);
        await Task.WhenAll(prober.ReachAsync(nodes[0], nodes[1]), prober.ReachAsync(nodes[1], nodes[0]));
        TimeSpan served = watch.Elapsed;

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, s_patience);
        string way = incoming && outgoing ? "either way" : incoming ? "back" : "there";
        string line = string.Create(
            CultureInfo.InvariantCulture,
            $"data connection cut, nothing {way}: noticed after {noticed.TotalSeconds:0.0} s, served again after "
            + $"{served.TotalSeconds:0.0} s; "
            + $"{history.Count} requests, {history.Answered} answered, {violations.Count} violations.");
        sandbox.Say(line);
        Report.Add("SilentHosts", line);
        Assert.Empty(violations.Take(50));
        Assert.True(noticed < TimeSpan.FromSeconds(2 * seconds), line);
        await sandbox.PassedAsync();
    }

    private static NodeUnderTest NodeOn(Sandbox sandbox, Network network, int host, string name) => new(
        sandbox, name, Layout.Sidecar, NodeSettings.Small with
        {
            Launcher = network.LauncherOf(host),
            CoordinatorArguments =
            [
                .. NodeSettings.Small.CoordinatorArguments, "--peer-address", $"tcp:{Network.AddressOf(host)}:0", "--allow-plaintext-peers",
                "--heartbeat", "300ms",
            ],
        });
}
