using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>G2: impulses between nodes.</summary>
public sealed class ImpulseTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Impulses_of_a_living_sender_all_arrive_once_and_in_order_however_often_the_receiver_dies()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        var random = new Random(Settings.Seed);
        NodeUnderTest sender = new(sandbox, "sender", Layout.Sidecar, NodeSettings.Small);
        NodeUnderTest receiver = new(sandbox, "receiver", Layout.Sidecar, NodeSettings.Small);
        NodeUnderTest[] nodes = [sender, receiver];
        foreach (NodeUnderTest node in nodes)
        {
            node.Start();
            await node.AskAsync("save");
        }

        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 1);
        load.Start();
        using GateClient gate = await sender.ConnectAsync();
        long told = 0;
        for (int round = 0; round < 15; round++)
        {
            for (int i = 0; i < 50; i++)
            {
                told = long.Parse(await gate.AskAsync("tell receiver"), System.Globalization.CultureInfo.InvariantCulture);
            }

            await receiver.KillAsync(random.Next(2) == 0 ? Side.App : Side.Coordinator);
            receiver.Start();
        }

        await load.StopAsync(TimeSpan.FromSeconds(60));
        told = long.Parse(await gate.AskAsync("tell receiver"), System.Globalization.CultureInfo.InvariantCulture);
        NodeReport report = new();
        await Wait.UntilAsync("the last impulse has come", async () =>
            (report = await receiver.ReportAsync()).LastTold.Values.Sum() == told, TimeSpan.FromSeconds(30));
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, TimeSpan.FromSeconds(30));
        Assert.Empty(violations);
        Assert.Equal(told, report.CountTold.Values.Sum());
        sandbox.Say($"{told} impulses, {history.Count} requests beside them, 15 SIGKILLs of the receiver.");
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task Processes_that_stand_still_and_go_on_lose_and_repeat_nothing()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        var random = new Random(Settings.Seed);
        var settings = new NodeSettings { CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--heartbeat", "200ms"] };
        NodeUnderTest[] nodes = [new(sandbox, "n1", Layout.Sidecar, settings), new(sandbox, "n2", Layout.Sidecar, settings)];
        foreach (NodeUnderTest node in nodes)
        {
            node.Start();
            await node.AskAsync("save");
        }

        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 3);
        load.Start();
        var watch = Stopwatch.StartNew();
        for (int i = 0; i < 12; i++)
        {
            NodeUnderTest node = nodes[random.Next(2)];
            Child standing = random.Next(3) == 0 ? node.App! : node.Coordinator!;
            await standing.StopAsync();
            // Longer than three heartbeats: its peers take it for dead, and it does not know.
            await Task.Delay(random.Next(700, 1500));
            standing.Signal(Posix.Continue);
            // A message there and an echo back: the connection lives again.
            await node.AskAsync($"flood {nodes.Single(n => n != node).Name} 1 10");
        }

        await load.StopAsync(TimeSpan.FromSeconds(60));
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, TimeSpan.FromSeconds(30));
        Assert.Empty(violations);
        Assert.All(nodes, static node => Assert.False(node.Coordinator!.HasExited));
        sandbox.Say($"12 pauses, {history.Answered} of {history.Count} requests answered; {watch.Elapsed.TotalSeconds:0} s.");
        await sandbox.PassedAsync();
    }
}
