using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>What a log offers to replicas that share it: locks beside it, and checkpoints by another process than the writer.</summary>
public abstract partial class LogStoreConformance
{
    /// <summary>Whether a checkpoint is finished whose maker has given the lock of the checkpointer back, while nobody else has taken
    /// that.</summary>
    protected virtual bool FinishesCheckpoints => false;

    [Fact]
    public async Task A_lock_beside_the_log_is_held_by_one_and_handed_to_the_next_whichever_may_append()
    {
        await using WriteAheadLog one = await OpenAsync(OfReplica(0));
        await using WriteAheadLog other = await OpenAsync(OfReplica(1));
        await using ILogLease appends = await one.AcquireAsync(CancellationToken.None);
        Assert.Null(await one.ReadSideHolderAsync(NamedLeases.Successor));
        ILogLease held = (await other.AcquireNamedLeaseAsync(NamedLeases.Successor, wait: false, CancellationToken.None))!;
        Assert.Equal(held.Holder, await one.ReadSideHolderAsync(NamedLeases.Successor));
        Assert.Null(await one.AcquireNamedLeaseAsync(NamedLeases.Successor, wait: false, CancellationToken.None));
        // Each name is a lock of its own.
        await using ILogLease seat = (await one.AcquireNamedLeaseAsync(NamedLeases.Replica(1), wait: false, CancellationToken.None))!;
        Assert.False(await one.IsNamedLeaseHeldAsync(NamedLeases.Replica(2)));
        Task<ILogLease?> waiting = one.AcquireNamedLeaseAsync(NamedLeases.Successor, wait: true, CancellationToken.None).AsTask();
        Assert.False(waiting.IsCompleted);
        await held.DisposeAsync();
        ILogLease next = (await waiting.WaitAsync(Patience.Time))!;
        await next.VerifyAsync();
        Assert.True(await other.IsNamedLeaseHeldAsync(NamedLeases.Successor));
        await next.DisposeAsync();
        Assert.False(await other.IsNamedLeaseHeldAsync(NamedLeases.Successor));
        await appends.VerifyAsync();
        await seat.VerifyAsync();
        Assert.Null(await other.TryAcquireAsync());
    }

    [Fact]
    public async Task Waiting_for_a_lock_beside_the_log_can_be_given_up_without_taking_it_later()
    {
        await using WriteAheadLog one = await OpenAsync(OfReplica(0));
        await using WriteAheadLog other = await OpenAsync(OfReplica(1));
        ILogLease held = (await one.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, CancellationToken.None))!;
        using var giveUp = new CancellationTokenSource();
        Task<ILogLease?> waiting = other.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: true, giveUp.Token).AsTask();
        await giveUp.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        await held.DisposeAsync();
        // The thread that waited gets it and gives it back at once: nobody keeps it.
        await using ILogLease? next = await one.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: true, CancellationToken.None)
            .AsTask().WaitAsync(Patience.Time);
        Assert.NotNull(next);
    }

    [Fact]
    public async Task A_replica_follows_the_log_record_by_record_and_segment_by_segment()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(OfReplica(0)));
        await using WriteAheadLog replica = await OpenAsync(OfReplica(1));
        await using LogReader reader = replica.OpenReader(Lsn.None);
        for (ulong record = 1; record <= 60; record++)
        {
            await writer.AppendAsync(new byte[4000]);
            await FollowAsync(reader);
            Assert.InRange(reader.NextLsn.Value, record, record + 1); // The last one may still lack its proof.
        }

        Assert.InRange(writer.Log.Segments.Count, 3, int.MaxValue);
    }

    [Fact] // Seed 529 of the simulator: it looked for ever at a segment that was gone, and for the next one, which was gone, too.
    public async Task A_replica_that_slept_while_its_segment_and_the_next_one_went_learns_that_it_fell_behind()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(OfReplica(0)));
        await using WriteAheadLog replica = await OpenAsync(OfReplica(1));
        await using LogReader reader = replica.OpenReader(Lsn.None);
        await AppendManyAsync(writer, 3);
        await FollowAsync(reader);
        ulong slept = reader.NextLsn.Value;
        await AppendManyAsync(writer, 120);
        await writer.CheckpointAsync(new Lsn(110), [1]);
        await writer.CheckpointAsync(new Lsn(120), [2]);
        await writer.Log.TrimAsync();
        Assert.InRange(writer.Log.OldestLsn.Value, slept + 60, 120UL); // More than one segment.
        ReadOutcome outcome = ReadOutcome.EndOfLog;
        for (int look = 0; look < 20 && outcome != ReadOutcome.Trimmed; look++)
        {
            outcome = await reader.ReadAsync(); // Records first, as far as the file that is open still holds them.
        }

        Assert.Equal(ReadOutcome.Trimmed, outcome);
    }

    [Fact]
    public async Task A_checkpoint_that_another_replica_writes_is_adopted_by_the_writer_and_lets_old_log_go()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync(OfReplica(0)));
        await using WriteAheadLog replica = await OpenAsync(OfReplica(1));
        await using ILogLease right =
            (await replica.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, CancellationToken.None))!;
        await using LogReader reader = replica.OpenReader(Lsn.None);
        var adopted = new List<Lsn>();
        writer.Log.CheckpointAdopted = entry => adopted.Add(entry.Lsn);
        for (int checkpoint = 0; checkpoint < 3; checkpoint++)
        {
            for (int i = 0; i < 30; i++)
            {
                await writer.AppendAsync(new byte[4000]);
            }

            await FollowAsync(reader);
            await using CheckpointWriter written = replica.BeginCheckpoint(replica.DurableLsn);
            await written.WriteAsync(new byte[100]);
            await written.CompleteAsync();
        }

        await using WriteAheadLog view = await OpenAsync(OfReplica(2));
        Assert.Empty(view.Checkpoints); // The manifest is the writer's and nobody else's.
        Assert.Equal(1UL, writer.Log.OldestLsn.Value);
        writer.Log.LookForCheckpoints();
        await Poll.UntilAsync(() => writer.Log.OldestLsn.Value > 1);
        Assert.Equal([new Lsn(89)], adopted);
        Assert.Equal([new Lsn(89), new Lsn(59)], writer.Log.Checkpoints.Select(static entry => entry.Lsn));
    }

    [Fact]
    public async Task A_checkpoint_of_a_replica_that_gets_the_right_to_append_meanwhile_is_whole_or_is_none()
    {
        await using WriteAheadLog replica = await OpenAsync(OfReplica(1));
        ILogLease right = (await replica.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false, CancellationToken.None))!;
        await using (LogHarness first = await LogHarness.StartAsync(await OpenAsync(OfReplica(0))))
        {
            await first.AppendAsync([1], [2], [3]);
            await using LogReader reader = replica.OpenReader(Lsn.None);
            await FollowAsync(reader);
        }

        await using CheckpointWriter begun = replica.BeginCheckpoint(replica.DurableLsn);
        await begun.WriteAsync(new byte[100]);
        await using ILogLease appends = await replica.AcquireAsync(CancellationToken.None);
        await right.DisposeAsync();
        await replica.BecomeWriterAsync(appends);
        bool completed = true;
        try
        {
            await begun.CompleteAsync();
        }
        catch (CheckpointFailedException)
        {
            completed = false;
        }

        Assert.True(completed || !FinishesCheckpoints);
        await using (CheckpointReader? found = await replica.OpenNewestValidCheckpointAsync())
        {
            Assert.Equal(completed, found is not null);
        }

        var sink = new CollectingSink();
        replica.StartAppending(sink).RequestFlush(); // Whatever has become of it: it goes on.
        await Poll.UntilAsync(() => sink.Durable.Count == 1);
        await appends.VerifyAsync();
    }

    private static LogStoreOptions OfReplica(int number) => SmallSegments with { Replica = number, SpareSegments = 0 };

    private static async Task FollowAsync(LogReader reader)
    {
        while (await reader.ReadAsync() == ReadOutcome.Record)
        {
        }
    }
}
