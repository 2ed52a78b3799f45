using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>What a start warns of, and what an examination finds without changing anything.</summary>
public sealed class RecoveryRulesTests
{
    private static readonly LogStoreOptions s_small = new() { SegmentSize = 64 * 1024, PageSize = 4096 };
    private readonly MemoryFileSystem _disk = new();
    private readonly CollectingLogger _logger = new();

    [Fact]
    public void A_start_warns_once_of_an_oldest_segment_that_retention_keeps_and_is_gone() => SingleThread.Run(async () =>
    {
        await MakeAsync(20, 40, 60);
        await using (WriteAheadLog view = await OpenAsync())
        {
            await view.Storage.DeleteSegmentAsync(view.Segments[0].Number);
        }

        Assert.Equal("IC-2007", Assert.Single(await ExamineAsync()).Code);
        await using LogHarness next = await StartAsync();
        Assert.StartsWith("IC-2007 the log begins with LSN", Assert.Single(_logger.Lines), StringComparison.Ordinal);
        await using CheckpointReader begins = (await next.Log.OpenNewestValidCheckpointAsync())!;
        Assert.Equal(new Lsn(60), begins.Lsn);
    });

    [Fact]
    public void A_log_that_retention_has_shortened_lacks_nothing() => SingleThread.Run(async () =>
    {
        await MakeAsync(20, 40, 60);
        Assert.Empty(await ExamineAsync());
        await using LogHarness next = await StartAsync();
        Assert.True(next.Log.OldestLsn > new Lsn(1));
        Assert.Empty(_logger.Lines);
        Assert.Empty(await ExamineAsync()); // Beside its writer, too.
    });

    [Fact]
    public void A_log_without_its_beginning_and_with_one_checkpoint_lacks_something() => SingleThread.Run(async () =>
    {
        await MakeAsync(40);
        await using (WriteAheadLog view = await OpenAsync())
        {
            await view.Storage.DeleteSegmentAsync(view.Segments[0].Number);
        }

        Assert.Contains("one checkpoint only", Assert.Single(await ExamineAsync()).Message, StringComparison.Ordinal);
        await using LogHarness next = await StartAsync();
        Assert.Contains("IC-2007", Assert.Single(_logger.Lines), StringComparison.Ordinal);
    });

    [Fact]
    public void A_newest_segment_that_is_gone_is_known_by_the_manifest() => SingleThread.Run(async () =>
    {
        await MakeAsync(20);
        await using (LogHarness second = await StartAsync())
        {
            await second.CheckpointAsync(second.Log.DurableLsn, [1]); // Of a record of the first epoch, under the second.
        }

        await using (WriteAheadLog view = await OpenAsync())
        {
            await view.Storage.DeleteSegmentAsync(view.Segments[^1].Number);
        }

        Assert.Equal("IC-2004", Assert.Single(await ExamineAsync()).Code);
        Assert.Equal("IC-2004", (await Assert.ThrowsAsync<LogCorruptException>(StartAsync)).Code);
    });

    [Fact]
    public void A_checkpoint_that_came_after_its_log_had_been_released_is_no_loss() => SingleThread.Run(async () =>
    {
        await MakeAsync(20);
        await using (LogHarness writer = await StartAsync())
        {
            // A replica that lags has begun one, and ends it when retention has gone further.
            await using WriteAheadLog lagging = await OpenAsync(s_small with { Replica = 1 });
            await LogHarness.ReadAllAsync(lagging, Lsn.None);
            await using CheckpointWriter late = lagging.BeginCheckpoint(new Lsn(20));
            await late.WriteAsync(new byte[1000]);
            await TakeCheckpointsAsync(writer, 40, 60, 80);
            Assert.True(writer.Log.OldestLsn > new Lsn(21));
            await late.CompleteAsync();
        }

        Assert.Empty(await ExamineAsync());
        await using (WriteAheadLog starts = await OpenAsync())
        {
            await using ILogLease lease = (await starts.TryAcquireAsync())!;
            await starts.BecomeWriterAsync(lease); // It ends before it appends anything, and before retention is asked.
        }

        Assert.Empty(await ExamineAsync());
        await using LogHarness next = await StartAsync();
        Assert.Empty(_logger.Lines);
        await TakeCheckpointsAsync(next, 100);
        Assert.DoesNotContain(new Lsn(20), await next.Log.Storage.ListCheckpointsAsync());
    });

    [Fact]
    public void A_start_says_that_a_checkpoint_is_gone() => SingleThread.Run(async () =>
    {
        await MakeAsync(20, 40, 60);
        await using (WriteAheadLog view = await OpenAsync())
        {
            await view.Storage.DeleteCheckpointAsync(new Lsn(60));
        }

        Assert.Contains(await ExamineAsync(), static found => found.Code == "IC-2011");
        await using LogHarness next = await StartAsync();
        Assert.Contains(_logger.Lines, static line => line.StartsWith("IC-2011 checkpoint at LSN 60 is gone", StringComparison.Ordinal));
    });

    [Fact] // An upgrade's app came at that moment, and the primary ended: simulator seed 1414190.
    public void A_checkpoint_that_retention_removes_while_it_is_read_is_no_damage() => SingleThread.Run(async () =>
    {
        await MakeAsync(20, 40);
        await using LogHarness writer = await StartAsync();
        var slow = new SlowCall(FileCallKind.Read, "/checkpoints/");
        _disk.Faults = slow;
        Task<CheckpointReader?> opening = writer.Log.OpenNewestValidCheckpointAsync(proven: new Lsn(40)).AsTask();
        await slow.Begun;
        await TakeCheckpointsAsync(writer, 60, 80, 100);
        Assert.False(opening.IsCompleted);
        Assert.True(writer.Log.OldestLsn > new Lsn(41)); // Of what was chosen nothing is left.
        await using CheckpointReader opened = (await opening)!;
        Assert.Equal(new Lsn(100), opened.Lsn);
    });

    private async Task MakeAsync(params int[] checkpoints)
    {
        await using LogHarness writer = await StartAsync();
        await TakeCheckpointsAsync(writer, checkpoints);
        await writer.Log.TrimAsync();
    }

    private static async Task TakeCheckpointsAsync(LogHarness writer, params int[] checkpoints)
    {
        foreach (int lsn in checkpoints)
        {
            while (writer.Log.DurableLsn.Value < (ulong)lsn)
            {
                await writer.AppendAsync(new byte[3000]);
            }

            await writer.CheckpointAsync(writer.Log.DurableLsn, [1]);
        }

        await writer.Log.TrimAsync();
    }

    private async Task<IReadOnlyList<LogStoreException>> ExamineAsync()
    {
        await using WriteAheadLog view = await OpenAsync();
        return await view.ExamineAsync();
    }

    private async Task<LogHarness> StartAsync() => await LogHarness.StartAsync(await OpenAsync());

    private ValueTask<WriteAheadLog> OpenAsync(LogStoreOptions? options = null) =>
        LogStores.OpenLogAsync("memory:", "bank", options ?? s_small, LogScene.Environment(_disk, _logger));
}
