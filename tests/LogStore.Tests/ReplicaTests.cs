using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Tests.Support;

namespace Ambrosia.LogStore.Tests;

/// <summary>What a log offers to replicas that share it: checkpoints by another process than the writer, locks beside the log, signs of life.</summary>
public sealed class ReplicaTests
{
    private static readonly LogStoreOptions s_options = new() { SegmentSize = 64 * 1024, PageSize = 4096, SpareSegments = 0 };
    private readonly MemoryFileSystem _disk = new();

    [Fact]
    public async Task A_checkpoint_that_another_replica_writes_is_adopted_by_the_writer_and_lets_old_log_go()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(0));
        await using WriteAheadLog replica = await OpenAsync(1);
        await using LogReader reader = replica.OpenReader(Lsn.None);
        var adopted = new List<Lsn>();
        writer.Log.CheckpointAdopted = entry => adopted.Add(entry.Lsn);
        for (int checkpoint = 0; checkpoint < 3; checkpoint++)
        {
            for (int i = 0; i < 30; i++)
            {
                await writer.AppendAsync(new byte[4000]);
            }

            while (await reader.ReadAsync() == ReadOutcome.Record)
            {
            }

            await using CheckpointWriter written = replica.BeginCheckpoint(replica.DurableLsn);
            await written.WriteAsync(new byte[100]);
            await written.CompleteAsync();
        }

        await using WriteAheadLog view = await OpenAsync(2);
        Assert.Empty(view.Checkpoints); // The manifest is the writer's and nobody else's.
        Assert.Equal(1UL, writer.Log.OldestLsn.Value);
        writer.Log.LookForCheckpoints();
        await Poll.UntilAsync(() => writer.Log.OldestLsn.Value > 1);
        Assert.Equal([new Lsn(89)], adopted);
        Assert.Equal([new Lsn(89), new Lsn(59)], writer.Log.Checkpoints.Select(static entry => entry.Lsn));
    }

    [Fact] // PROTOCOL H6, H7
    public async Task A_replica_makes_no_checkpoint_of_what_it_has_not_found_proven()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(0));
        await using WriteAheadLog replica = await OpenAsync(1);
        await using LogReader reader = replica.OpenReader(Lsn.None);
        await writer.AppendAsync([1], [2]);
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
        }

        Assert.Equal(new Lsn(1), replica.DurableLsn);
        Assert.Throws<ArgumentOutOfRangeException>(() => replica.BeginCheckpoint(new Lsn(2)));
    }

    [Fact]
    public async Task A_lock_beside_the_log_is_held_by_one_and_handed_to_the_next()
    {
        await using WriteAheadLog one = await OpenAsync(0);
        await using WriteAheadLog other = await OpenAsync(1);
        ILogLease held = (await one.AcquireSideLockAsync("checkpointer", wait: false, CancellationToken.None))!;
        Assert.Null(await other.AcquireSideLockAsync("checkpointer", wait: false, CancellationToken.None));
        Task<ILogLease?> waiting = other.AcquireSideLockAsync("checkpointer", wait: true, CancellationToken.None).AsTask();
        Assert.False(waiting.IsCompleted);
        await held.DisposeAsync();
        await using ILogLease? next = await waiting;
        Assert.NotNull(next);
    }

    [Fact]
    public async Task A_holder_that_beats_can_be_told_from_one_that_stands_still_and_from_one_that_never_did()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(0));
        await using WriteAheadLog replica = await OpenAsync(1);
        Assert.Null(await replica.ReadBeatAsync());
        await writer.Lease.BeatAsync();
        string first = (await replica.ReadBeatAsync())!;
        Assert.StartsWith(await replica.ReadHolderAsync() + " ", first, StringComparison.Ordinal);
        Assert.Equal(first, await replica.ReadBeatAsync());
        await writer.Lease.BeatAsync();
        Assert.NotEqual(first, await replica.ReadBeatAsync());
    }

    private ValueTask<WriteAheadLog> OpenAsync(int replica) => WriteAheadLog.OpenAsync(
        "memory:", "bank", s_options with { Replica = replica }, new LogStoreEnvironment { Memory = _disk.NewProcess(), Fatal = new RecordingFatal() });
}
