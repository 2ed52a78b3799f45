using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>Replicas come and go; roles are found anew by themselves.</summary>
public sealed class MembershipTests(ITestOutputHelper output)
{
    [Fact]
    public async Task Checkpoints_are_made_by_a_secondary_and_by_the_next_when_it_is_killed()
    {
        await using var sandbox = new Sandbox(output);
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", NodeSettings.Small);
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, NodeSettings.Small);
        bank.All.ToList().ForEach(static replica => replica.Start());
        teller.Start();
        NodeUnderTest primary = await bank.CompleteAsync();
        NodeUnderTest first = await bank.FindAsync("checkpointer");
        Assert.NotSame(primary, first);
        await FillUntilCheckpointAsync(teller, first);

        await first.KillAsync(Side.Coordinator);
        await Wait.UntilAsync("the other secondary makes the checkpoints", async () =>
            await bank.TryFindAsync("checkpointer") is { } next && next != first, TimeSpan.FromSeconds(30));
        NodeUnderTest second = await bank.FindAsync("checkpointer");
        await FillUntilCheckpointAsync(teller, second);
        ulong newest = await ReplicaSet.CheckpointAsync(second);
        await Wait.UntilAsync("the primary knows of it", async () =>
            await ReplicaSet.CheckpointAsync(primary) >= newest, TimeSpan.FromSeconds(30));
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_replica_is_added_and_removed_while_the_instance_serves_and_all_may_be_killed_at_once()
    {
        await using var sandbox = new Sandbox(output);
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", NodeSettings.Small, count: 2);
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, NodeSettings.Small);
        NodeUnderTest added = ReplicaSet.MakeOne(sandbox, "bank", NodeSettings.Small, number: 7);
        ReplicaSet enlarged = new([.. bank.All, added]);
        NodeUnderTest[] nodes = [bank.All[0], teller];
        var history = new History();
        var load = new Load(history, nodes, Settings.Seed, clientsPerNode: 2);
        var prober = new Prober(history, teller, "bank");
        await using (var supervisor = new Supervisor([.. bank.All, teller], history))
        {
            supervisor.Start();
            await bank.CompleteAsync();
            load.Start();
            added.Start();
            await enlarged.CompleteAsync();
            await prober.ReachAsync();

            added.Coordinator!.Signal(Posix.Terminate);
            await added.Coordinator.Exited;
            Assert.Equal(0, added.Coordinator.ExitCode);
            await prober.ReachAsync();

            added.Start();
            await enlarged.CompleteAsync();
            await Task.WhenAll(enlarged.All.SelectMany(static replica =>
                new[] { replica.KillAsync(Side.Coordinator), replica.KillAsync(Side.App) }));
            await prober.ReachAsync();
            await load.StopAsync(TimeSpan.FromSeconds(60));
            (IReadOnlyList<string> violations, _) = await Auditor.AuditAsync(history, nodes, TimeSpan.FromSeconds(60));
            Assert.Empty(violations.Take(50));
        }

        await sandbox.PassedAsync();
    }

    [Fact] // docs/internals/exactly-once.md H17
    public async Task A_replica_that_slept_until_the_log_it_needs_was_gone_ends_and_begins_again_with_the_newest_checkpoint()
    {
        await using var sandbox = new Sandbox(output);
        ReplicaSet bank = ReplicaSet.Make(sandbox, "bank", NodeSettings.Trimmed, count: 2);
        NodeUnderTest teller = new(sandbox, "teller", Layout.Sidecar, NodeSettings.Trimmed);
        bank.All.ToList().ForEach(static replica => replica.Start());
        teller.Start();
        NodeUnderTest primary = await bank.CompleteAsync();
        NodeUnderTest sleeper = bank.All.Single(replica => replica != primary);
        Child asleep = sleeper.Coordinator!;
        await asleep.StopAsync();
        string log = Path.Combine(sandbox.Folder, "store", "bank", "log");
        await Wait.UntilAsync(
            "the first three segments are gone", // The oldest goes first, and who has it open reads on in the next one that is still there.
            async () =>
            {
                await teller.AskAsync("pour bank 200 8000");
                await Admin.CheckpointAsync(primary);
                return string.CompareOrdinal(Directory.GetFiles(log, "*.seg").Select(Path.GetFileName).Min(StringComparer.Ordinal),
                    "0000000004.seg") >= 0;
            },
            TimeSpan.FromSeconds(60));

        asleep.Signal(Posix.Continue);
        await asleep.Exited.WaitAsync(TimeSpan.FromSeconds(30));
        Assert.Equal(43, asleep.ExitCode);
        Assert.Contains("IC-3007", asleep.Output, StringComparison.Ordinal);
        sleeper.Start();
        Assert.Same(primary, await bank.CompleteAsync());
        await sandbox.PassedAsync();
    }

    private static async Task FillUntilCheckpointAsync(NodeUnderTest from, NodeUnderTest maker)
    {
        ulong before = await ReplicaSet.CheckpointAsync(maker);
        await Wait.UntilAsync(
            $"{maker} has made a checkpoint",
            async () =>
            {
                await from.AskAsync("pour bank 100 8000");
                return await ReplicaSet.CheckpointAsync(maker) > before;
            },
            TimeSpan.FromSeconds(60));
    }
}
