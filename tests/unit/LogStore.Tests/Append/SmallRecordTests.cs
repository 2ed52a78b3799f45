using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests.Append;

/// <summary>Little that was published is made a record by its writer's own thread, and by the log's loop where that would not
/// pay.</summary>
public sealed class SmallRecordTests
{
    private readonly MemoryFileSystem _disk = new();

    [Fact]
    public void What_was_published_quietly_is_durable_when_the_commit_returns_and_nothing_is_done_before() => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk);
        await PublishQuietlyAsync(writer, [1]);
        await PublishQuietlyAsync(writer, [2]);
        await YieldAsync();
        Assert.Equal(Lsn.None, writer.Appender.DurableLsn);
        writer.Appender.Commit();
        Assert.Equal(new Lsn(1), writer.Appender.DurableLsn);
        Assert.Equal([1, 2], Assert.Single(writer.Sink.Durable).Payload);
        writer.Appender.Commit(); // Nothing to do: no empty record.
        await YieldAsync();
        Assert.Equal(new Lsn(1), writer.Appender.DurableLsn);
    });

    [Fact]
    public void More_than_a_little_is_left_to_the_loop() => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk, LogScene.Options with { PageSize = 64 * 1024 });
        await PublishQuietlyAsync(writer, new byte[LogAppender.SmallPayload]);
        await PublishQuietlyAsync(writer, [1]);
        await CommitByLoopAsync(writer);
    });

    [Fact]
    public void The_first_record_of_a_segment_is_left_to_the_loop() => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk);
        long rolled = 0;
        writer.Log.SegmentRolled = _ => rolled++;
        while (rolled == 0)
        {
            Lsn before = writer.Appender.DurableLsn;
            await PublishQuietlyAsync(writer, new byte[2000]);
            writer.Appender.Commit();
            Assert.True(rolled == 0, "a segment was begun on the writer's thread");
            await YieldAsync();
            Assert.Equal(before.Next, writer.Appender.DurableLsn);
        }
    });

    [Fact]
    public void A_device_that_was_slow_is_left_to_the_loop_until_it_is_quick_again() => SingleThread.Run(async () =>
    {
        LogStoreEnvironment environment = LogScene.Environment(_disk);
        await using LogHarness writer =
            await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, environment));
        var device = new TimedDevice((ManualTime)environment.Time) { Takes = TimeSpan.FromMilliseconds(2) };
        _disk.Faults = device;
        await PublishQuietlyAsync(writer, [1]);
        writer.Appender.Commit();
        Assert.Equal(new Lsn(1), writer.Appender.DurableLsn);
        await PublishQuietlyAsync(writer, [2]);
        await CommitByLoopAsync(writer);
        device.Takes = TimeSpan.FromMicroseconds(100);
        await PublishQuietlyAsync(writer, [3]);
        await CommitByLoopAsync(writer); // Nobody knows yet.
        await PublishQuietlyAsync(writer, [4]);
        writer.Appender.Commit();
        Assert.Equal(new Lsn(4), writer.Appender.DurableLsn);
    });

    [Theory]
    [InlineData(FileCallKind.Write, Errno.ENOSPC)]
    [InlineData(FileCallKind.SyncData, Errno.EIO)]
    public void A_failure_ends_the_process_and_is_never_tried_again(FileCallKind kind, Errno errno) => SingleThread.Run(async () =>
    {
        LogStoreEnvironment environment = LogScene.Environment(_disk);
        LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, environment));
        var faults = new FailAlways(kind, errno, ".seg", times: 1);
        _disk.Faults = faults;
        await PublishQuietlyAsync(writer, [1]);
        writer.Appender.Commit();
        (int exitCode, string line) = await ((RecordingFatal)environment.Fatal).Died;
        Assert.Equal((int)ExitCode.DeviceFailed, exitCode);
        Assert.Contains(errno.ToString(), line, StringComparison.Ordinal);
        await Assert.ThrowsAsync<LogFailedException>(() => writer.Appender.Completion);
        writer.Appender.Commit();
        await YieldAsync();
        Assert.Empty(writer.Sink.Durable);
        Assert.Equal(1, faults.Hits);
        await writer.DisposeAsync();
    });

    [Fact]
    public void A_writer_in_the_loops_place_meanwhile_lets_others_publish_and_flush_and_the_log_end() => SingleThread.Run(async () =>
    {
        LogHarness writer = await LogScene.StartAsync(_disk);
        var device = new HeldDevice();
        _disk.Faults = device;
        await PublishQuietlyAsync(writer, [1]);
        writer.Appender.Commit();
        await writer.PublishAsync([2]);
        await PublishQuietlyAsync(writer, [3]);
        writer.Appender.Commit();
        Task flushed = writer.Appender.FlushAsync();
        Task ended = writer.DisposeAsync().AsTask();
        await YieldAsync();
        Assert.False(flushed.IsCompleted);
        device.Free.SetResult();
        await flushed;
        await ended;
        Assert.Equal([1, 2, 3], writer.Sink.Durable.SelectMany(static record => record.Payload));
    });

    [Fact]
    public void Zeros_are_written_ahead_also_when_the_loop_has_no_record_to_make() => SingleThread.Run(async () =>
    {
        await using LogHarness writer =
            await LogScene.StartAsync(_disk, LogScene.Options with { SegmentSize = 4 << 20, ZeroAhead = 1 << 20 });
        for (int i = 0; i < 300; i++)
        {
            await PublishQuietlyAsync(writer, new byte[4000]);
            writer.Appender.Commit();
            await YieldAsync();
        }

        await using WriteAheadLog view = await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, LogScene.Environment(_disk));
        Assert.Equal(300, (await LogHarness.ReadAllAsync(view, Lsn.None, Read.ReadLimit.Everything)).Count);
        await using Storage.IStoredFile file = (await view.Storage.OpenSegmentAsync(1, writable: false))!;
        Assert.InRange(await file.GetLengthAsync(), (300 * 4000) + (768 << 10), 4 << 20);
    });

    private static async Task PublishQuietlyAsync(LogHarness writer, byte[] message)
    {
        PageReservation room;
        while (!writer.Appender.TryReserve(message.Length, out room))
        {
            await writer.Appender.WaitForPageAsync();
        }

        message.CopyTo(room.Span);
        CollectingSink.Count(room.PageContext);
        room.PublishQuietly();
    }

    /// <summary>Not yet durable when the commit returns: the loop has its continuations posted.</summary>
    private static async Task CommitByLoopAsync(LogHarness writer)
    {
        Lsn before = writer.Appender.DurableLsn;
        writer.Appender.Commit();
        Assert.Equal(before, writer.Appender.DurableLsn);
        await YieldAsync();
        Assert.Equal(before.Next, writer.Appender.DurableLsn);
    }

    private static async Task YieldAsync()
    {
        for (int i = 0; i < 10; i++)
        {
            await Task.Yield();
        }
    }

    /// <summary>Each sync of data takes its time by the injected clock.</summary>
    private sealed class TimedDevice(ManualTime time) : IFileFaults
    {
        public TimeSpan Takes { get; set; }

        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (call.Kind == FileCallKind.SyncData)
            {
                time.Advance(Takes);
            }

            return new(FileFault.None);
        }
    }

    /// <summary>Syncs of data wait until it is free.</summary>
    private sealed class HeldDevice : IFileFaults
    {
        public TaskCompletionSource Free { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public async ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (call.Kind == FileCallKind.SyncData)
            {
                await Free.Task;
            }

            return FileFault.None;
        }
    }
}
