using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>G5: bounded memory, no deadlock, no stall of one destination by another.</summary>
public sealed class FloodTests(ITestOutputHelper output)
{
    private const long Megabyte = 1 << 20;
    private static readonly NodeSettings s_bounded = new()
        { CoordinatorArguments = ["--max-buffered", "64MiB", "--segment-size", "16MiB", "--checkpoint-every", "64MiB"] };

    [Fact]
    public async Task Two_nodes_flood_each_other_with_forks_and_awaits_without_deadlock_in_bounded_memory()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest[] nodes = [new(sandbox, "n1", Layout.Sidecar, s_bounded), new(sandbox, "n2", Layout.Sidecar, s_bounded)];
        foreach (NodeUnderTest node in nodes)
        {
            node.Start();
        }

        var watch = Stopwatch.StartNew();
        long[] peak = new long[2];
        Task[] floods = [.. nodes.SelectMany(node => Enumerable.Range(0, 4).Select(_ => FloodAsync(node, nodes, watch)))];
        Task flooding = Task.WhenAll(floods);
        while (!flooding.IsCompleted && watch.Elapsed < TimeSpan.FromSeconds(Settings.FloodSeconds + 90))
        {
            foreach (NodeUnderTest node in nodes)
            {
                (long app, long coordinator) = node.Memory();
                (peak[0], peak[1]) = (Math.Max(peak[0], app), Math.Max(peak[1], coordinator));
            }

            await Task.Delay(100);
        }

        await flooding.WaitAsync(TimeSpan.FromSeconds(1));
        (IReadOnlyList<string> violations, IReadOnlyDictionary<string, NodeReport> reports) =
            await Auditor.AuditAsync(new History(), nodes, TimeSpan.FromSeconds(60));
        long messages = reports.Values.Sum(static r => r.Received.Values.Sum());
        sandbox.Say($"{messages} messages in {watch.Elapsed.TotalSeconds:0} s; most resident: app {peak[0] / Megabyte} MiB, coordinator "
            + $"{peak[1] / Megabyte} MiB.");
        Assert.Empty(violations);
        Assert.InRange(peak[1], 1, 512 * Megabyte);
        Assert.InRange(peak[0], 1, 768 * Megabyte);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_dead_destination_slows_no_other_and_gets_everything_when_it_comes_back()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest sender = new(sandbox, "sender", Layout.Sidecar, s_bounded);
        NodeUnderTest living = new(sandbox, "living", Layout.Sidecar, s_bounded);
        NodeUnderTest dead = new(sandbox, "dead", Layout.Sidecar, s_bounded);
        NodeUnderTest[] nodes = [sender, living, dead];
        foreach (NodeUnderTest node in nodes)
        {
            node.Start();
            await node.AskAsync("save");
        }

        var history = new History();
        double before = await MeasureAsync(sender, living, history, "before");
        await dead.KillAsync(Side.App);
        await dead.KillAsync(Side.Coordinator);
        using GateClient gate = await sender.ConnectAsync();
        string poured = "";
        for (int i = 0; i < 12; i++)
        {
            // 16 MiB each: three times what memory may hold.
            poured = await gate.AskAsync("pour dead 256 65536").WaitAsync(TimeSpan.FromSeconds(60));
        }

        double during = await MeasureAsync(sender, living, history, "during");
        (_, long memory) = sender.Memory();
        await Admin.CheckpointAsync(sender);
        poured = await gate.AskAsync("pour dead 256 65536").WaitAsync(TimeSpan.FromSeconds(60));
        await sender.KillAsync(Side.Coordinator);
        await sender.KillAsync(Side.App);
        sender.Start();
        dead.Start();
        await Wait.UntilAsync(
            "the dead one has received everything",
            async () => (await dead.ReportAsync()).Received.GetValueOrDefault("sender").ToString(CultureInfo.InvariantCulture) == poured,
            TimeSpan.FromSeconds(60));
        (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, TimeSpan.FromSeconds(30));
        sandbox.Say($"100 awaits: {before:0} ms with all alive, {during:0} ms with 192 MiB waiting for a dead destination; coordinator "
            + $"{memory / Megabyte} MiB resident.");
        Assert.Empty(violations);
        Assert.InRange(memory, 1, 512 * Megabyte);
        await sandbox.PassedAsync();
    }

    private static async Task FloodAsync(NodeUnderTest node, NodeUnderTest[] nodes, Stopwatch watch)
    {
        string peer = nodes.Single(n => n != node).Name;
        using GateClient gate = await node.ConnectAsync();
        while (watch.Elapsed.TotalSeconds < Settings.FloodSeconds)
        {
            await gate.AskAsync($"flood {peer} 256 16384");
        }
    }

    private static async Task<double> MeasureAsync(NodeUnderTest from, NodeUnderTest to, History history, string prefix)
    {
        using GateClient gate = await from.ConnectAsync();
        var watch = Stopwatch.StartNew();
        for (int i = 0; i < 100; i++)
        {
            var request = new Request(string.Create(CultureInfo.InvariantCulture, $"{prefix}{i}"), from.Name, to.Name, WorkKind.Await);
            history.Begin(request);
            history.End(request, await gate.AskAsync($"submit {request.Id} Await {to.Name} 0").WaitAsync(TimeSpan.FromSeconds(30)));
        }

        return watch.Elapsed.TotalMilliseconds;
    }
}
