using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>What one process's end means for the other, and in which order they may start.</summary>
public sealed class FateTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task An_embedded_coordinator_ends_with_its_app_and_is_started_again_by_it_when_it_dies()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "embedded", Layout.Embedded, NodeSettings.Small);
        node.Start();
        await node.AskAsync("submit one Note embedded 0");
        int coordinator = Assert.Single(node.App!.Children());
        await node.KillAsync(Side.App);
        var watch = Stopwatch.StartNew();
        await Wait.UntilAsync("the coordinator has followed its app", () => ProcessMemory.Resident(coordinator) == 0, s_patience);
        double first = watch.Elapsed.TotalMilliseconds;

        node.Start();
        await node.AskAsync("submit two Note embedded 0");
        watch.Restart();
        for (int i = 0; i < 3; i++)
        {
            await Wait.UntilAsync("there is a coordinator to kill", () => node.App.Children().Count == 1, s_patience);
            await node.KillAsync(Side.Coordinator);
            await node.AskAsync($"submit again{i} Note embedded 0");
        }

        double second = watch.Elapsed.TotalMilliseconds;
        Assert.False(node.App.HasExited, node.App.Output);
        Assert.Contains("Error: embedded lost its coordinator and starts it again", node.App.Output, StringComparison.Ordinal);
        Assert.Contains("was ended by signal 9", node.App.Output, StringComparison.Ordinal);
        Assert.Equal(5, (await node.ReportAsync()).Begun);
        sandbox.Say($"coordinator followed its app in {first:0} ms, three deaths of the coordinator took {second:0} ms");
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_new_app_attaches_to_a_living_coordinator_again_and_again()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "patient", Layout.Sidecar, NodeSettings.Small);
        node.Start();
        int coordinator = node.Coordinator!.Id;
        for (int i = 1; i <= 5; i++)
        {
            Assert.Equal("42", await node.AskAsync($"submit r{i} Self patient 0"));
            await node.KillAsync(Side.App);
            node.StartApp();
        }

        NodeReport report = await node.ReportAsync();
        Assert.Equal((5, 5, 1), (report.Begun, report.Ended, report.FirstStarts));
        Assert.Empty(report.Violations);
        Assert.False(node.Coordinator.HasExited);
        Assert.Equal(coordinator, node.Coordinator.Id);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task Apps_may_start_long_before_their_coordinators()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest[] nodes = [new(sandbox, "n1", Layout.Sidecar, NodeSettings.Small),
            new(sandbox, "n2", Layout.Sidecar, NodeSettings.Small)];
        foreach (NodeUnderTest node in nodes)
        {
            node.StartApp();
        }

        // They say so when they have waited for a while.
        await Wait.UntilAsync("both apps say that they wait", () =>
            nodes.All(static n => n.App!.Output.Contains("waits for its coordinator", StringComparison.Ordinal)), s_patience);
        foreach (NodeUnderTest node in nodes)
        {
            node.StartCoordinator();
        }

        Assert.Equal("42", await nodes[0].AskAsync("submit late Await n2 0"));
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_coordinator_may_end_with_its_app_when_it_is_told_to()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "tied", Layout.Sidecar, NodeSettings.Small);
        Child coordinator = node.StartCoordinator("", "--on-app-exit", "stop");
        node.StartApp();
        await node.AskAsync("submit one Note tied 0");
        await node.KillAsync(Side.App);
        await Wait.UntilAsync("the coordinator has ended", () => coordinator.HasExited, s_patience);
        Assert.Equal(30, coordinator.ExitCode);
        await sandbox.PassedAsync();
    }
}
