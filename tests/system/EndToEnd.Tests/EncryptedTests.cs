using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Tests.Common;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>Coordinators that speak TLS to each other: the same guarantees, and certificates that come and go.</summary>
public sealed class EncryptedTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task Nothing_is_lost_while_certificates_are_replaced_and_coordinators_killed()
    {
        await using var sandbox = new Sandbox(output);
        using var authority = new Authority(sandbox.Folder, "authority");
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        var random = new Random(Settings.Seed);
        NodeUnderTest[] nodes = [.. new[] { "n1", "n2", "n3" }.Select(name =>
            new NodeUnderTest(sandbox, name, Layout.Sidecar, Encrypted(authority, name, NodeSettings.Small)))];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 2);
        await using var supervisor = new Supervisor(nodes, history);
        supervisor.Start();
        foreach (NodeUnderTest node in nodes)
        {
            await node.AskAsync("save");
        }

        load.Start();
        int kills = 0;
        for (int turn = 0; turn < Settings.Rotations; turn++)
        {
            NodeUnderTest node = nodes[random.Next(nodes.Length)];
            authority.Sign(node.Name, [UriOf(node.Name)]);
            // Only who connects anew shows the new certificate; the others go on.
            if (turn % 3 == 0 && await nodes[random.Next(nodes.Length)].KillAsync(Side.Coordinator))
            {
                kills++;
            }

            long wanted = history.Answered + 3;
            await Wait.UntilAsync("the clients get on", () => history.Answered >= wanted, s_patience);
        }

        await load.StopAsync(s_patience);
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, s_patience);
        sandbox.Say($"{Settings.Rotations} new certificates and {kills} kills: {history.Count} requests, {history.Answered} answered, "
            + $"{violations.Count} violations");
        Assert.Empty(violations.Take(50));
        Assert.True(history.Answered > Settings.Rotations, "the clients got next to nothing done");
        Assert.All(nodes, static node =>
            Assert.Contains("Other coordinators see spiffe://default/", node.Coordinator!.Output, StringComparison.Ordinal));
        await supervisor.StopAsync();
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task Encryption_leaves_at_least_a_tenth_of_what_passes_between_two_coordinators_without_it()
    {
        await using var sandbox = new Sandbox(output);
        using var authority = new Authority(sandbox.Folder, "authority");
        var large = new NodeSettings { CoordinatorArguments = ["--segment-size", "64MiB"] };
        double plain = await MeasureAsync(sandbox, "plain", _ => large);
        double encrypted = await MeasureAsync(sandbox, "tls", name => Encrypted(authority, name, large));
        sandbox.Say(string.Create(
            CultureInfo.InvariantCulture,
            $"messages of 1,000 bytes from app to app: plain {plain:0} MB/s, TLS 1.3 {encrypted:0} MB/s ({100 * encrypted / plain:0} %)"));
        Assert.True(encrypted >= plain / 10, $"{encrypted:0.0} of {plain:0.0} MB/s");
        await sandbox.PassedAsync();
    }

    private static string UriOf(string name) => $"spiffe://default/{name}";

    private static NodeSettings Encrypted(Authority authority, string name, NodeSettings settings)
    {
        (string certificate, string key) = authority.Sign(name, [UriOf(name)]);
        return settings with
        {
            CoordinatorArguments = [.. settings.CoordinatorArguments, "--peer-cert-file", certificate, "--peer-key-file", key,
                "--peer-trusted-ca-file", authority.File],
        };
    }

    // Megabytes a second, from the first message to the last one's execution.
    private static async Task<double> MeasureAsync(Sandbox sandbox, string kind, Func<string, NodeSettings> settings)
    {
        const int Size = 1_000;
        const int Messages = 20_000;
        NodeUnderTest[] nodes = [.. new[] { $"{kind}-from", $"{kind}-to" }.Select(name =>
            new NodeUnderTest(sandbox, name, Layout.Sidecar, settings(name)))];
        foreach (NodeUnderTest node in nodes)
        {
            node.Start();
            await node.AskAsync("save");
        }

        await PourAsync(nodes, 1_000, Size); // Connected, and compiled.
        double best = 0;
        for (int run = 0; run < 3; run++)
        {
            var watch = Stopwatch.StartNew();
            await PourAsync(nodes, Messages, Size);
            best = Math.Max(best, Messages * (double)Size / 1e6 / watch.Elapsed.TotalSeconds);
        }

        return best;
    }

    private static async Task PourAsync(NodeUnderTest[] nodes, int messages, int size)
    {
        long before = (await nodes[1].ReportAsync()).Received.GetValueOrDefault(nodes[0].Name);
        await nodes[0].AskAsync(string.Create(CultureInfo.InvariantCulture, $"pour {nodes[1].Name} {messages} {size}"));
        await Wait.UntilAsync("all have arrived", async () =>
            (await nodes[1].ReportAsync()).Received.GetValueOrDefault(nodes[0].Name) >= before + messages, s_patience);
    }
}
