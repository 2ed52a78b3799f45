using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>What is said of a record before its sync has returned: nothing. And what a start makes durable before it relies on
/// it.</summary>
public sealed class DurabilityTests
{
    private readonly MemoryFileSystem _disk = new();

    [Fact]
    public void Time_neither_goes_back_with_the_clock_nor_stands_still() => SingleThread.Run(async () =>
    {
        LogStoreEnvironment environment = LogScene.Environment(_disk);
        await using LogHarness writer =
            await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, environment));
        await writer.AppendAsync([1]);
        ((ManualTime)environment.Time).SetWall(TimeSpan.FromHours(-1));
        ((ManualTime)environment.Time).Advance(TimeSpan.FromSeconds(10));
        await writer.AppendAsync([2]);
        await using LogReader reader = writer.Log.OpenReader(new Lsn(1));
        await reader.ReadAsync();
        long before = reader.Header.Timestamp;
        await reader.ReadAsync();
        Assert.Equal(new Lsn(2), reader.Header.Lsn);
        Assert.Equal(TimeSpan.FromSeconds(9), TimeSpan.FromTicks(reader.Header.Timestamp - before));
    });

    [Fact]
    public void The_writers_own_reader_ends_before_a_record_that_is_written_and_not_synced() => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk);
        await writer.AppendAsync([1]);
        var syncs = new SyncsByHand();
        _disk.Faults = syncs;
        await writer.PublishAsync([2]);
        await syncs.UntilWaitingAsync();
        await using LogReader reader = writer.Log.OpenReader(new Lsn(1));
        Assert.Equal(ReadOutcome.Record, await reader.ReadAsync());
        Assert.Equal(ReadOutcome.EndOfLog, await reader.ReadAsync());
        syncs.Waiting.Dequeue().SetResult();
        await writer.Appender.FlushAsync();
        Assert.Equal(ReadOutcome.Record, await reader.ReadAsync());
    });

    [Fact]
    public void A_writer_that_waits_for_a_flush_waits_for_its_own_record() => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk);
        await writer.AppendAsync([1]);
        var syncs = new SyncsByHand();
        _disk.Faults = syncs;
        await writer.PublishAsync([2]);
        Task first = writer.Appender.FlushAsync();
        await writer.PublishAsync([3]);
        Task second = writer.Appender.FlushAsync();
        await syncs.UntilWaitingAsync();
        syncs.Waiting.Dequeue().SetResult();
        await first;
        await syncs.UntilWaitingAsync();
        Assert.False(second.IsCompleted);
        syncs.Waiting.Dequeue().SetResult();
        await second;
        Assert.Equal(new Lsn(3), writer.Appender.DurableLsn);
    });

    [Theory] // A power cut after a successor has relied on such a name must not take it back.
    [InlineData("/bank/checkpoints/")]
    [InlineData("/bank/log/")]
    [InlineData("/bank/")]
    public void A_start_makes_durable_the_names_that_a_killed_predecessor_has_not_synced(string folder) => SingleThread.Run(async () =>
    {
        await (await LogScene.StartAsync(_disk)).DisposeAsync();
        Assert.False(_disk.HasUnsyncedNames);
        MemoryProcess killed = _disk.NewProcess();
        await (await killed.OpenAsync(folder + "left", FileOpening.CreateNew)).DisposeAsync();
        killed.Kill();
        Assert.True(_disk.HasUnsyncedNames);
        await using LogHarness next = await LogScene.StartAsync(_disk);
        Assert.False(_disk.HasUnsyncedNames);
    });

    [Fact] // The second leaves a file that ends with its last record: nothing about it asks the third for a sync.
    public void What_a_killed_process_wrote_survives_also_when_its_successor_was_killed_while_starting() => SingleThread.Run(async () =>
    {
        for (int seed = 0; seed < 20; seed++)
        {
            var disk = new MemoryFileSystem();
            LogStoreEnvironment first = LogScene.Environment(disk);
            LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, first));
            await writer.AppendAsync([1]);
            var syncs = new SyncsByHand();
            disk.Faults = syncs;
            await writer.PublishAsync([2]);
            await syncs.UntilWaitingAsync();
            ((MemoryProcess)first.Memory).Kill();

            var cut = new StopBehindTruncation();
            disk.Faults = cut;
            LogStoreEnvironment second = LogScene.Environment(disk);
            _ = LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, second));
            while (!cut.Stopped)
            {
                await Task.Yield();
            }

            ((MemoryProcess)second.Memory).Kill();
            disk.Faults = null;
            LogHarness third = await LogScene.StartAsync(disk);
            Assert.Equal(new Lsn(2), third.Start.LastLsn);
            disk.Crash(new Random(seed));
            await using LogHarness fourth = await LogScene.StartAsync(disk);
            List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(fourth.Log, new Lsn(1));
            Assert.Equal([1, 2], records.Select(static record => record.Body[0]));
        }
    });

    /// <summary>The sync of a segment that was cut never returns.</summary>
    private sealed class StopBehindTruncation : IFileFaults
    {
        private bool _truncated;

        public bool Stopped { get; private set; }

        public async ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            bool segment = call.Path.EndsWith(".seg", StringComparison.Ordinal);
            _truncated |= segment && call.Kind == FileCallKind.Truncate;
            if (_truncated && segment && call.Kind == FileCallKind.Sync)
            {
                Stopped = true;
                await new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously).Task;
            }

            return FileFault.None;
        }
    }

    /// <summary>Each sync of data waits until the test lets it go.</summary>
    private sealed class SyncsByHand : IFileFaults
    {
        public Queue<TaskCompletionSource> Waiting { get; } = new();

        public async Task UntilWaitingAsync()
        {
            while (Waiting.Count == 0)
            {
                await Task.Yield();
            }
        }

        public async ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (call.Kind == FileCallKind.SyncData)
            {
                var passed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                Waiting.Enqueue(passed);
                await passed.Task;
            }

            return FileFault.None;
        }
    }
}
