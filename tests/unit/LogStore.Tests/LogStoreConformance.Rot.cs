using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>
/// What a store that let a checkpoint rot, or a person who deleted one, must not lead to: retention counts only on what this life has
/// found good.
/// </summary>
public abstract partial class LogStoreConformance
{
    [Theory]
    [InlineData("2")]
    [InlineData("1KiB")]
    [InlineData("all")]
    public async Task When_the_newest_checkpoint_rots_and_the_next_one_too_the_log_since_the_older_one_is_there(string policy)
    {
        LogStoreOptions options = SmallSegments with { Retention = RetentionPolicy.Parse(policy) };
        await using (LogHarness first = await StartAsync(options))
        {
            await TakeCheckpointsAsync(first, 20, 40, 60);
            await RotAsync(first.Log.Storage, new Lsn(60));
        }

        await using (LogHarness second = await StartAsync(options))
        {
            await using (CheckpointReader standIn = (await second.Log.OpenNewestValidCheckpointAsync())!)
            {
                Assert.Equal(new Lsn(40), standIn.Lsn);
                Assert.True(standIn.StandsInForAnother);
                Assert.True(second.Log.LacksCheckpoint);
            }

            await TakeCheckpointsAsync(second, 61);
            Assert.False(second.Log.LacksCheckpoint);
            Assert.DoesNotContain(new Lsn(60), second.Log.Checkpoints.Select(static entry => entry.Lsn));
            await RotAsync(second.Log.Storage, new Lsn(61));
        }

        await using (LogHarness third = await StartAsync(options))
        {
            await RequireStartAsync(third, new Lsn(40), new Lsn(61));
            await TakeCheckpointsAsync(third, 70, 80); // Two good ones: now the older log may go, and what is damaged with it.
            await RequireStartAsync(third, new Lsn(80), new Lsn(80));
            if (policy != "all")
            {
                Assert.Equal([new Lsn(80), new Lsn(70)], third.Log.Checkpoints.Select(static entry => entry.Lsn));
                Assert.Equal([new Lsn(80), new Lsn(70)], await third.Log.Storage.ListCheckpointsAsync());
                Assert.True(third.Log.OldestLsn > new Lsn(41));
            }
        }
    }

    [Fact]
    public async Task A_kept_checkpoint_that_is_deleted_while_the_log_is_written_counts_no_more()
    {
        await using (LogHarness writer = await StartAsync(SmallSegments))
        {
            int lost = 0;
            writer.Log.CheckpointLost = () => Interlocked.Increment(ref lost);
            await TakeCheckpointsAsync(writer, 20, 40, 60);
            Assert.Equal(0, lost);
            await writer.Log.Storage.DeleteCheckpointAsync(new Lsn(60));
            await TakeCheckpointsAsync(writer, 61);
            Assert.Equal(1, lost);
            Assert.Equal([new Lsn(61), new Lsn(40)], writer.Log.Checkpoints.Select(static entry => entry.Lsn));
            await RotAsync(writer.Log.Storage, new Lsn(61));
        }

        await using LogHarness next = await StartAsync(SmallSegments);
        await RequireStartAsync(next, new Lsn(40), new Lsn(61));
    }

    [Theory]
    [InlineData(60UL, true)]
    [InlineData(40UL, false)]
    public async Task A_start_that_finds_a_kept_checkpoint_gone_says_that_one_is_lacking(ulong gone, bool standsIn)
    {
        await using (LogHarness writer = await StartAsync(SmallSegments))
        {
            await TakeCheckpointsAsync(writer, 20, 40, 60);
            await writer.Log.Storage.DeleteCheckpointAsync(new Lsn(gone));
        }

        for (int life = 0; life < 2; life++) // Also when nobody comes to take another one.
        {
            await using LogHarness next = await StartAsync(SmallSegments);
            await using CheckpointReader begins = (await next.Log.OpenNewestValidCheckpointAsync())!;
            Assert.Equal(standsIn && life == 0, begins.StandsInForAnother);
            Assert.True(next.Log.LacksCheckpoint);
        }

        await using LogHarness last = await StartAsync(SmallSegments);
        await TakeCheckpointsAsync(last, 61);
        Assert.False(last.Log.LacksCheckpoint);
    }

    [Fact]
    public async Task A_start_with_two_good_checkpoints_or_with_a_log_that_has_its_beginning_lacks_none()
    {
        await using (LogHarness first = await StartAsync(SmallSegments))
        {
            await TakeCheckpointsAsync(first, 20);
        }

        await using (LogHarness second = await StartAsync(SmallSegments))
        {
            await using (CheckpointReader only = (await second.Log.OpenNewestValidCheckpointAsync())!)
            {
                Assert.False(only.StandsInForAnother);
            }

            Assert.False(second.Log.LacksCheckpoint);
            await TakeCheckpointsAsync(second, 40, 60);
        }

        await using LogHarness third = await StartAsync(SmallSegments);
        await using CheckpointReader newest = (await third.Log.OpenNewestValidCheckpointAsync())!;
        Assert.False(newest.StandsInForAnother);
        Assert.False(third.Log.LacksCheckpoint);
    }

    [Fact]
    public async Task A_view_knows_that_what_it_begins_with_stands_in_for_one_that_is_gone_or_damaged()
    {
        await using LogHarness writer = await StartAsync(SmallSegments);
        await TakeCheckpointsAsync(writer, 20, 40, 60);
        await writer.Log.Storage.DeleteCheckpointAsync(new Lsn(60));
        await using (WriteAheadLog view = await OpenAsync(SmallSegments))
        {
            await using CheckpointReader begins = (await view.OpenNewestValidCheckpointAsync())!;
            Assert.True(begins.StandsInForAnother);
        }

        await writer.CheckpointAsync(new Lsn(60), Filled(10_000, 6));
        await RotAsync(writer.Log.Storage, new Lsn(60));
        await using (WriteAheadLog view = await OpenAsync(SmallSegments))
        {
            await using CheckpointReader begins = (await view.OpenNewestValidCheckpointAsync())!;
            Assert.True(begins.StandsInForAnother);
            await using CheckpointReader earlier = (await view.OpenNewestValidCheckpointAsync(new Lsn(50)))!;
            Assert.False(earlier.StandsInForAnother);
        }
    }

    [Fact]
    public async Task A_damaged_checkpoint_that_is_made_once_more_counts_again()
    {
        await using (LogHarness writer = await StartAsync(SmallSegments))
        {
            await TakeCheckpointsAsync(writer, 20, 40, 60);
            await RotAsync(writer.Log.Storage, new Lsn(60));
        }

        await using LogHarness next = await StartAsync(SmallSegments);
        await using (CheckpointReader standIn = (await next.Log.OpenNewestValidCheckpointAsync())!)
        {
            Assert.Equal(new Lsn(40), standIn.Lsn);
        }

        await next.CheckpointAsync(new Lsn(60), Filled(10_000, 6));
        Assert.False(next.Log.LacksCheckpoint);
        Assert.Equal([new Lsn(60), new Lsn(40)], next.Log.Checkpoints.Select(static entry => entry.Lsn));
        await RequireStartAsync(next, new Lsn(60), new Lsn(60));
    }

    [Fact]
    public async Task Retention_reads_what_another_replica_wrote_before_it_counts_on_it()
    {
        await using (LogHarness writer = await LogHarness.StartAsync(await OpenAsync(OfReplica(0))))
        {
            await using WriteAheadLog replica = await OpenAsync(OfReplica(1));
            await using ILogLease right = (await replica.AcquireNamedLeaseAsync(NamedLeases.Checkpointer, wait: false,
                CancellationToken.None))!;
            await TakeCheckpointsAsync(writer, 20, 40);
            await replica.RefreshAsync();
            await using LogReader reader = replica.OpenReader(new Lsn(41));
            foreach (ulong lsn in new ulong[] { 59, 79 })
            {
                await AppendManyAsync(writer, 20);
                await FollowAsync(reader);
                await using CheckpointWriter written = replica.BeginCheckpoint(new Lsn(lsn));
                await written.WriteAsync(Filled(10_000, 6));
                await written.CompleteAsync();
            }

            await RotAsync(replica.Storage, new Lsn(59));
            await RotAsync(replica.Storage, new Lsn(79));
            var adopted = new TaskCompletionSource();
            int lost = 0;
            writer.Log.CheckpointAdopted = _ => adopted.TrySetResult();
            writer.Log.CheckpointLost = () => Interlocked.Increment(ref lost);
            writer.Log.LookForCheckpoints();
            await adopted.Task;
            await writer.Log.TrimAsync();
            Assert.Equal([new Lsn(40), new Lsn(20)], writer.Log.Checkpoints.Select(static entry => entry.Lsn));
            Assert.Equal(2, lost);
            Assert.True(writer.Log.LacksCheckpoint);
        }

        await using LogHarness next = await LogHarness.StartAsync(await OpenAsync(OfReplica(0)));
        await RequireStartAsync(next, new Lsn(40), new Lsn(80));
    }

    /// <summary>The first checkpoint that can be begun with, and every record behind it.</summary>
    private static async Task RequireStartAsync(LogHarness writer, Lsn checkpoint, Lsn last)
    {
        await using CheckpointReader begins = (await writer.Log.OpenNewestValidCheckpointAsync())!;
        Assert.Equal(checkpoint, begins.Lsn);
        Assert.Equal(last.Value - checkpoint.Value, (ulong)(await LogHarness.ReadAllAsync(writer.Log, checkpoint.Next)).Count);
    }

    private static async Task TakeCheckpointsAsync(LogHarness writer, params ulong[] positions)
    {
        foreach (ulong lsn in positions)
        {
            await AppendManyAsync(writer, (int)(lsn - writer.Log.DurableLsn.Value));
            await writer.CheckpointAsync(new Lsn(lsn), Filled(10_000, (byte)lsn));
            await writer.Log.TrimAsync();
        }
    }

    /// <summary>The device gives back other bytes than it was given.</summary>
    private static async Task RotAsync(ILogStorage storage, Lsn lsn)
    {
        byte[] bytes;
        await using (IStoredFile good = (await storage.OpenCheckpointAsync(lsn))!)
        {
            bytes = new byte[await good.GetLengthAsync()];
            Assert.Equal(bytes.Length, await good.ReadAsync(bytes, 0));
        }

        bytes[bytes.Length / 2] ^= 0x10;
        await using (IStoredFile rotten = await storage.CreateCheckpointAsync(lsn))
        {
            await rotten.AppendAsync(bytes, 0);
            await rotten.SyncAsync();
        }

        await storage.CommitCheckpointAsync(lsn);
    }
}
