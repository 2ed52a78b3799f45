using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>What does not fit into a page, a segment or a buffer.</summary>
public sealed class LargeTests(ITestOutputHelper output)
{
    private const int Megabyte = 1 << 20;

    [Fact]
    public async Task A_message_of_64_MiB_arrives_whole_across_the_death_of_its_receiver()
    {
        await using var sandbox = new Sandbox(output);
        var settings = new NodeSettings { CoordinatorArguments = ["--max-message-size", "65MiB", "--segment-size", "16MiB"] };
        NodeUnderTest[] nodes = [new(sandbox, "n1", Layout.Sidecar, settings), new(sandbox, "n2", Layout.Sidecar, settings)];
        foreach (NodeUnderTest node in nodes)
        {
            node.Start();
            await node.AskAsync("save");
        }

        var watch = Stopwatch.StartNew();
        await nodes[0].AskAsync($"submit giant1 Large n2 {64 * Megabyte}", TimeSpan.FromSeconds(120));
        double first = watch.Elapsed.TotalSeconds;
        using (GateClient gate = await nodes[0].ConnectAsync())
        {
            Task<string> answer = gate.AskAsync($"submit giant2 Large n2 {64 * Megabyte}");
            await nodes[1].KillAsync(Side.App);
            await nodes[1].KillAsync(Side.Coordinator);
            nodes[1].Start();
            await answer.WaitAsync(TimeSpan.FromSeconds(120));
        }

        foreach (NodeUnderTest node in nodes)
        {
            NodeReport report = await node.ReportAsync();
            Assert.Empty(report.Violations);
            Assert.Equal(report.Begun, report.Ended);
        }

        Assert.Equal(2, (await nodes[1].ReportAsync()).Effects.Count(static e =>
            e.Key.EndsWith(" large", StringComparison.Ordinal) && e.Value == 1));
        sandbox.Say($"64 MiB there and acknowledged in {first:0.0} s.");
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_giant_state_is_checkpointed_and_comes_back_the_same()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "giant", Layout.Sidecar, new NodeSettings());
        node.Start();
        await node.AskAsync("save");
        using (GateClient gate = await node.ConnectAsync())
        {
            for (int left = Settings.CheckpointMegabytes; left > 0; left -= 32)
            {
                await gate.AskAsync($"grow {Math.Min(32, left)}");
            }
        }

        NodeReport before = await node.ReportAsync();
        var watch = Stopwatch.StartNew();
        await Admin.CheckpointAsync(node);
        double written = watch.Elapsed.TotalSeconds;
        await node.KillAsync(Side.Coordinator);
        await node.KillAsync(Side.App);
        watch.Restart();
        node.Start();
        NodeReport after = await node.ReportAsync();

        sandbox.Say($"{Settings.CheckpointMegabytes} MiB of state: checkpoint {written:0.0} s, recovery {watch.Elapsed.TotalSeconds:0.0} "
            + $"s, app {node.Memory().App / Megabyte} MiB resident.");
        Assert.Equal((long)Settings.CheckpointMegabytes * Megabyte, before.Held);
        Assert.Equal((before.Held, before.HeldSum), (after.Held, after.HeldSum));
        await sandbox.PassedAsync();
    }
}
