using System.Diagnostics;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>An instance goes on in another process because that one asked, or because its own was told to stop.</summary>
public sealed class MoveTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task An_instance_is_moved_there_and_back_under_load_and_nothing_is_lost_or_doubled()
    {
        await using var sandbox = new Sandbox(output);
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", NodeSettings.Small, count: 2);
        await MoveAsync(sandbox, bank.All, "with replicas");
    }

    [Fact]
    public async Task Without_replicas_the_one_that_serves_takes_a_checkpoint_and_hands_over()
    {
        await using var sandbox = new Sandbox(output);
        await MoveAsync(sandbox, Moves.PlacesOf(sandbox, NodeSettings.Small), "without replicas");
    }

    [Fact]
    public async Task Another_that_waits_leaves_the_place_to_the_one_that_asks_and_follows_on()
    {
        await using var sandbox = new Sandbox(output);
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", NodeSettings.Small, count: 4);
        NodeUnderTest asking = bank.All[3];
        ReplicaSet before = new([.. bank.All.Take(3)]);
        before.All.ToList().ForEach(static node => node.Start());
        NodeUnderTest primary = await before.CompleteAsync();
        ReplicaSet after = new([.. bank.All.Where(node => node != primary)]);
        asking.StartCoordinator("", "--take-over");
        asking.StartApp();
        await primary.Coordinator!.Exited.WaitAsync(s_patience);
        Assert.Equal(asking, await after.CompleteAsync());
        Assert.Equal(0, primary.Coordinator.ExitCode);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task Who_asks_and_does_not_move_is_passed_over()
    {
        await using var sandbox = new Sandbox(output);
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", NodeSettings.Small, count: 3);
        (NodeUnderTest first, NodeUnderTest second, NodeUnderTest asking) = (bank.All[0], bank.All[1], bank.All[2]);
        first.Start();
        await bank.PrimaryAsync();
        second.Start();
        await bank.FindAsync("checkpointer");
        Child asks = asking.StartCoordinator("", "--take-over");
        asking.StartApp();
        await Wait.UntilAsync("it asks", () => asks.Output.Contains("asks for its place", StringComparison.Ordinal), s_patience);
        asks.Signal(Posix.Stop);
        await first.Coordinator!.Exited.WaitAsync(s_patience);
        Assert.Equal(second, await new ReplicaSet([first, second]).PrimaryAsync());
        Assert.Contains("left to the process that asks", second.Coordinator!.Output, StringComparison.Ordinal);
        await second.AskAsync("submit one Self bank 0");
        Assert.False(second.Coordinator.HasExited);
        asks.Signal(Posix.Continue);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_primary_that_is_told_to_stop_hands_over_at_once()
    {
        await using var sandbox = new Sandbox(output);
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", NodeSettings.Small, count: 2);
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, NodeSettings.Small);
        var prober = new Prober(new History(), teller, "bank") { Event = "SIGTERM" };
        bank.All.Append(teller).ToList().ForEach(static node => node.Start());
        for (int i = 0; i < Counts.Moves; i++)
        {
            NodeUnderTest primary = await bank.CompleteAsync();
            var since = Stopwatch.StartNew();
            primary.Coordinator!.Signal(Posix.Terminate);
            await prober.ReachAsync(since);
            await primary.Coordinator.Exited.WaitAsync(s_patience);
            Assert.Equal(0, primary.Coordinator.ExitCode);
            primary.Start();
        }

        Say(sandbox, prober.Summary);
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_request_ends_with_the_process_that_made_it()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest here = new(sandbox, "bank", Layout.Sidecar, NodeSettings.Small with
            { CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--heartbeat", "10s"] });
        NodeUnderTest there = new(sandbox, "bank", Layout.Sidecar, NodeSettings.Small with { Place = ".there" });
        here.Start();
        await here.AskAsync("submit one Self bank 0");
        Child asking = there.StartCoordinator("", "--take-over");
        await Wait.UntilAsync("it asks", () => asking.Output.Contains("asks for its place", StringComparison.Ordinal), s_patience);
        await asking.KillAsync();
        if (here.Coordinator!.Output.Contains("gets it", StringComparison.Ordinal))
        {
            await here.Coordinator.Exited.WaitAsync(s_patience); // The request was seen in the moment that it lasted.
            here.StartCoordinator();
        }

        await here.AskAsync("submit two Self bank 0");
        Assert.Equal(2, (await here.ReportAsync()).Ended);
        await sandbox.PassedAsync();
    }

    private static async Task MoveAsync(Sandbox sandbox, IReadOnlyList<NodeUnderTest> places, string how)
    {
        Say(sandbox, $"moved {how}: {await Moves.RunAsync(sandbox, places, NodeSettings.Small, Counts.Moves)}");
        await sandbox.PassedAsync();
    }

    private static void Say(Sandbox sandbox, string line)
    {
        sandbox.Say(line);
        Report.Add("Replicas", line);
    }
}
