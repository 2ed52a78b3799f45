using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.LogStore.Tests;

/// <summary>A disk that fails: what must stop stops at once with its code, what may go on goes on.</summary>
public sealed class FaultTests
{
    private readonly MemoryFileSystem _disk = new();

    [Theory]
    [InlineData(FileCallKind.SyncData, Errno.EIO)]
    [InlineData(FileCallKind.SyncData, Errno.EROFS)]
    [InlineData(FileCallKind.Write, Errno.ENOSPC)]
    [InlineData(FileCallKind.Write, Errno.EDQUOT)]
    public void A_failed_commit_is_fatal_acknowledges_nothing_and_is_never_tried_again(
        FileCallKind kind, Errno errno) => SingleThread.Run(async () =>
    {
        LogStoreEnvironment environment = LogScene.Environment(_disk);
        LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, environment));
        await writer.AppendAsync([1]);
        var faults = new FailAlways(kind, errno, ".seg");
        _disk.Faults = faults;
        await writer.PublishAsync([2]);
        LogFailedException refused = await Assert.ThrowsAsync<LogFailedException>(async () => await writer.Appender.FlushAsync());
        Assert.Equal("IC-2031", refused.Code);
        (int exitCode, string line) = await ((RecordingFatal)environment.Fatal).Died;
        Assert.Equal((int)ExitCode.DeviceFailed, exitCode);
        Assert.Contains(errno.ToString(), line, StringComparison.Ordinal);
        Assert.Contains(LogScene.Segment(1), line, StringComparison.Ordinal);
        Assert.Single(writer.Sink.Durable);
        Assert.Equal(new Lsn(1), writer.Appender.DurableLsn);
        Assert.False(writer.Appender.TryReserve(1, out _));
        await Assert.ThrowsAsync<LogFailedException>(async () => await writer.Appender.WaitForPageAsync());
        await Assert.ThrowsAsync<FileFailedException>(() => writer.Appender.Completion);
        Assert.Equal(1, faults.Hits);
        await writer.DisposeAsync();
    });

    [Fact] // Read back from the disk before anything older may go.
    public void A_checkpoint_that_reads_back_otherwise_than_written_is_not_named() => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk);
        await writer.AppendAsync([1], [2]);
        await writer.CheckpointAsync(new Lsn(1), [1]);
        _disk.Faults = new FlipWhenSynced(_disk, ".ckpt.tmp");
        await Assert.ThrowsAsync<CheckpointFailedException>(() => writer.CheckpointAsync(new Lsn(2), new byte[10_000]));
        _disk.Faults = null;
        Assert.Equal(new Lsn(1), Assert.Single(writer.Log.Checkpoints).Lsn);
    });

    [Theory]
    [InlineData(FileCallKind.Write, Errno.ENOSPC)]
    [InlineData(FileCallKind.SyncData, Errno.EIO)]
    [InlineData(FileCallKind.Rename, Errno.EIO)]
    [InlineData(FileCallKind.Open, Errno.EMFILE)]
    public void A_checkpoint_that_fails_is_removed_and_the_log_and_older_checkpoints_go_on(
        FileCallKind kind, Errno errno) => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk);
        await writer.AppendAsync([1], [2]);
        await writer.CheckpointAsync(new Lsn(1), [1]);
        _disk.Faults = new FailAlways(kind, errno, ".ckpt");
        CheckpointFailedException failed =
            await Assert.ThrowsAsync<CheckpointFailedException>(() => writer.CheckpointAsync(new Lsn(2), new byte[100_000]));
        Assert.Equal("IC-2102", failed.Code);
        Assert.Contains(errno.ToString(), failed.Message, StringComparison.Ordinal);
        // What helps against the one does not against the other.
        string advice = errno == Errno.EMFILE ? "raise the limit of open files" : "free space or repair the device";
        Assert.Contains(advice, failed.Message, StringComparison.Ordinal);
        await writer.AppendAsync([3]);
        _disk.Faults = null;
        Assert.DoesNotContain(_disk.AllFiles(), path => path.EndsWith(".tmp", StringComparison.Ordinal));
        await writer.CheckpointAsync(new Lsn(3), [3]);
        Assert.Equal([3UL, 1UL], writer.Log.Checkpoints.Select(entry => entry.Lsn.Value));
    });

    [Fact]
    public void A_checkpoint_interrupted_by_the_end_of_the_process_leaves_no_trace_at_the_next_start() => SingleThread.Run(async () =>
    {
        var process = _disk.NewProcess();
        LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options,
            new LogStoreEnvironment
        {
            Memory = process,
            Loops = new InlineLoopRunner(),
            Fatal = new RecordingFatal(),
        }));
        await writer.AppendAsync([1]);
        CheckpointWriter checkpoint = writer.Log.BeginCheckpoint(new Lsn(1));
        await checkpoint.WriteAsync(new byte[50_000]);
        await Task.Yield();
        process.Kill();
        Assert.Contains(_disk.AllFiles(), path => path.EndsWith(".ckpt.tmp", StringComparison.Ordinal));
        await using LogHarness next = await LogScene.StartAsync(_disk);
        Assert.DoesNotContain(_disk.AllFiles(), path => path.EndsWith(".tmp", StringComparison.Ordinal));
        Assert.Null(await next.Log.OpenNewestValidCheckpointAsync());
    });

    // File systems that cannot rename without replacing: the spare is the live segment then, and the next segment would be written over it.
    [Fact]
    public void A_process_that_is_killed_before_a_used_segment_lost_its_old_name_leaves_a_log_that_goes_on() => SingleThread.Run(async () =>
    {
        var disk = new MemoryFileSystem { LinksToRename = true };
        MemoryProcess process = disk.NewProcess();
        LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options,
            new LogStoreEnvironment
        {
            Memory = process,
            Loops = new InlineLoopRunner(),
            Fatal = new RecordingFatal(),
        }));
        var killer = new KilledAtDelete(process, ".free");
        for (ulong lsn = 1; !process.IsKilled; lsn++)
        {
            try
            {
                await writer.AppendAsync(Bytes(lsn));
                if (lsn % 15 == 0)
                {
                    await writer.CheckpointAsync(new Lsn(lsn), [1]);
                    await writer.Log.TrimAsync();
                    disk.Faults = killer; // From here on spares are used again.
                }
            }
            catch (IOException)
            {
                Assert.True(process.IsKilled);
            }

            Assert.True(lsn < 1000);
        }

        disk.Faults = null;
        Lsn last = writer.Sink.Durable[^1].Header.Lsn;
        for (int life = 0; life < 3; life++)
        {
            await using LogHarness next = await LogScene.StartAsync(disk);
            Assert.True(next.Start.LastLsn >= last);
            await next.AppendAsync(Bytes(next.Start.LastLsn.Value + 1));
            List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(next.Log, next.Log.OldestLsn);
            Assert.Equal(next.Log.DurableLsn, records[^1].Lsn);
            Assert.All(records, static record => Assert.Equal((byte)record.Lsn.Value, record.Body[0]));
        }

        static byte[] Bytes(ulong lsn)
        {
            byte[] bytes = new byte[4000];
            Array.Fill(bytes, (byte)lsn);
            return bytes;
        }
    });

    [Fact] // A power cut takes the spare's name back: then it is a segment of the log again.
    public void A_segment_that_a_killed_process_made_a_spare_is_not_written_over_before_that_is_durable() => SingleThread.Run(async () =>
    {
        for (int seed = 0; seed < 20; seed++)
        {
            var disk = new MemoryFileSystem();
            LogStoreEnvironment first = LogScene.Environment(disk);
            LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, first));
            for (ulong lsn = 1; lsn <= 40; lsn++)
            {
                await writer.AppendAsync(new byte[4000]);
            }

            await writer.CheckpointAsync(new Lsn(20), [1]);
            var process = (MemoryProcess)first.Memory;
            disk.Faults = new KilledAtSync(process, disk);
            _ = await Record.ExceptionAsync(() => writer.CheckpointAsync(new Lsn(40), [1]));
            _ = await Record.ExceptionAsync(async () => await writer.Log.TrimAsync());
            Assert.True(process.IsKilled);
            disk.Faults = new NoNamesSynced(disk);
            _ = await Record.ExceptionAsync(() => LogScene.StartAsync(disk)); // Its segment's name, too, is not synced when the power goes.
            disk.Faults = null;
            disk.Crash(new Random(seed));
            await using LogHarness third = await LogScene.StartAsync(disk);
            Assert.Equal(new Lsn(40), third.Start.LastLsn);
        }
    });

    private sealed class KilledAtSync(MemoryProcess process, MemoryFileSystem disk) : IFileFaults
    {
        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (call.Kind == FileCallKind.SyncFolder
                && disk.AllFiles().Any(static path => path.EndsWith(".free", StringComparison.Ordinal)))
            {
                process.Kill();
            }

            return new(FileFault.None);
        }
    }

    /// <summary>From the moment at which a spare is written on no folder is synced any more.</summary>
    private sealed class NoNamesSynced(MemoryFileSystem disk) : IFileFaults
    {
        private bool _begun;

        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            _begun |= call.Kind == FileCallKind.Write && call.Path.EndsWith(".free", StringComparison.Ordinal);
            bool fails = _begun && call.Kind == FileCallKind.SyncFolder && disk.HasUnsyncedNames;
            return new(fails ? new FileFault(Errno.EIO) : FileFault.None);
        }
    }

    private sealed class KilledAtDelete(MemoryProcess process, string suffix) : IFileFaults
    {
        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (call.Kind == FileCallKind.Delete && call.Path.EndsWith(suffix, StringComparison.Ordinal))
            {
                process.Kill();
            }

            return new(FileFault.None);
        }
    }

    [Fact]
    public void A_checkpoint_whose_writing_ends_by_a_mistake_of_our_own_tells_its_writer_instead_of_keeping_it(
        ) => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk);
        await writer.AppendAsync([1]);
        _disk.Faults = new Mistaken(".ckpt.tmp");
        CheckpointWriter checkpoint = writer.Log.BeginCheckpoint(new Lsn(1));
        await Assert.ThrowsAsync<NotSupportedException>(async () =>
        {
            for (int i = 0; i < 100; i++)
            {
                await checkpoint.WriteAsync(new byte[50_000]).AsTask().WaitAsync(Patience.Time);
                await Task.Yield();
            }
        });
        _disk.Faults = null;
        await Assert.ThrowsAsync<NotSupportedException>(async () => await checkpoint.DisposeAsync());
        await writer.CheckpointAsync(new Lsn(1), [1]);
    });

    private sealed class Mistaken(string suffix) : IFileFaults
    {
        public ValueTask<FileFault> BeforeAsync(FileCall call) =>
            call.Kind == FileCallKind.Write && call.Path.EndsWith(suffix, StringComparison.Ordinal)
                ? throw new NotSupportedException("a mistake of the test's") : new(FileFault.None);
    }

    [Fact]
    public void A_read_that_fails_twice_is_repeated_and_one_that_stays_unreadable_is_no_end_of_log() => SingleThread.Run(async () =>
    {
        await LogScene.MakeAsync(_disk, lives: 2);
        await using WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, LogScene.Environment(_disk));
        _disk.Faults = new FailAlways(FileCallKind.Read, Errno.EIO, ".seg", times: 2);
        Assert.Equal(3, (await LogHarness.ReadAllAsync(log, Lsn.None)).Count(record => record.Lsn <= new Lsn(3)));
        _disk.Faults = new FailAlways(FileCallKind.Read, Errno.EIO, ".seg");
        LogStoreException stopped = await Assert.ThrowsAsync<LogStoreException>(() => LogHarness.ReadAllAsync(log, Lsn.None));
        Assert.Equal("IC-2030", stopped.Code);
    });

    [Theory]
    [InlineData(FileCallKind.Delete, Errno.EIO)]
    [InlineData(FileCallKind.Delete, Errno.EACCES)]
    public void A_segment_that_cannot_be_deleted_is_tried_again_and_never_leaves_a_hole_behind_it(
        FileCallKind kind, Errno errno) => SingleThread.Run(async () =>
    {
        LogStoreOptions options = LogScene.Options with { SpareSegments = 0 };
        LogHarness writer = await LogScene.StartAsync(_disk, options);
        _disk.Faults = new FailAlways(kind, errno, LogScene.Segment(1), times: 1);
        for (int i = 1; i <= 60; i++)
        {
            await writer.AppendAsync(new byte[4000]);
            if (i % 15 == 0)
            {
                await writer.CheckpointAsync(writer.Appender.DurableLsn, [1]);
                _ = await Record.ExceptionAsync(async () => await writer.Log.TrimAsync());
            }
        }

        Assert.DoesNotContain(LogScene.Segment(1), _disk.AllFiles());
        await writer.DisposeAsync();
        await using LogHarness next = await LogScene.StartAsync(_disk, options);
        Assert.Equal(new Lsn(60), next.Start.LastLsn);
    });

    [Fact]
    public void A_segment_deleted_under_the_writer_stops_it_within_a_second_of_its_clock() => SingleThread.Run(async () =>
    {
        LogStoreEnvironment environment = LogScene.Environment(_disk);
        LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, environment));
        await writer.AppendAsync([1]);
        await _disk.DeleteAsync(LogScene.Segment(1));
        ((ManualTime)environment.Time).Advance(TimeSpan.FromSeconds(1));
        await writer.PublishAsync([2]);
        LogStoreException stopped = await Assert.ThrowsAnyAsync<LogStoreException>(async () => await writer.Appender.FlushAsync());
        // Started again, it would go on without what was acknowledged.
        Assert.Equal(("IC-2032", ExitCode.StoreDamaged), (stopped.Code, stopped.ExitCode));
        Assert.Single(writer.Sink.Durable);
        await writer.DisposeAsync();
    });

    [Fact]
    public void A_lock_file_replaced_under_its_holder_stops_it() => SingleThread.Run(async () =>
    {
        LogStoreEnvironment environment = LogScene.Environment(_disk);
        LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, environment));
        await _disk.DeleteAsync("/bank/lock");
        await (await _disk.OpenAsync("/bank/lock", FileOpening.CreateNew)).DisposeAsync();
        await Assert.ThrowsAsync<LeaseLostException>(async () => await writer.Lease.VerifyAsync());
        ((ManualTime)environment.Time).Advance(TimeSpan.FromSeconds(1));
        await writer.PublishAsync([2]);
        LeaseLostException stopped = await Assert.ThrowsAsync<LeaseLostException>(async () => await writer.Appender.FlushAsync());
        Assert.Equal("IC-3004", stopped.Code);
        Assert.Equal((int)ExitCode.LeaseLost, (await ((RecordingFatal)environment.Fatal).Died).ExitCode);
        await writer.DisposeAsync();
    });

    [Fact]
    public void A_segment_made_by_somebody_else_fences_the_writer() => SingleThread.Run(async () =>
    {
        LogStoreEnvironment environment = LogScene.Environment(_disk);
        LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, environment));
        await (await _disk.OpenAsync(LogScene.Segment(2), FileOpening.CreateNew)).DisposeAsync();
        await writer.PublishAsync(new byte[60_000]);
        await writer.Appender.FlushAsync();
        await writer.PublishAsync(new byte[60_000]);
        LeaseLostException stopped = await Assert.ThrowsAsync<LeaseLostException>(async () => await writer.Appender.FlushAsync());
        Assert.Equal("IC-3001", stopped.Code);
        Assert.Single(writer.Sink.Durable);
        await writer.DisposeAsync();
    });

    [Fact]
    public void A_full_disk_does_not_keep_a_log_from_starting_when_a_spare_segment_is_there() => SingleThread.Run(async () =>
    {
        await using (LogHarness writer = await LogScene.StartAsync(_disk))
        {
            for (int i = 0; i < 60; i++)
            {
                await writer.AppendAsync(new byte[3500]);
            }

            await writer.CheckpointAsync(new Lsn(59), [1]);
            await writer.CheckpointAsync(new Lsn(60), [1]);
            await writer.Log.TrimAsync();
        }

        Assert.Contains(_disk.AllFiles(), path => path.EndsWith(".free", StringComparison.Ordinal));
        await using (WriteAheadLog view = await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, LogScene.Environment(_disk)))
        {
            await using LogReader reader = view.OpenReader(new Lsn(60), ReadLimit.Everything);
            Assert.Equal(ReadOutcome.Record, await reader.ReadAsync());
            // A torn tail, whose copy finds no room.
            _disk.Overwrite(reader.FileName, reader.Header.OffsetUnits * 8L + reader.Header.StoredSize, [1, 2, 3]);
        }

        _disk.Faults = new FullDisk();
        await using LogHarness next = await LogScene.StartAsync(_disk);
        Assert.Equal(new Lsn(60), next.Start.LastLsn);
        Assert.Equal(3, next.Start.TornBytes);
    });

    [Fact]
    public void A_stalled_disk_acknowledges_nothing_and_holds_writers_back_within_their_pages() => SingleThread.Run(async () =>
    {
        await using LogHarness writer = await LogScene.StartAsync(_disk, LogScene.Options with { PageCount = 3 });
        var stall = new Stall();
        _disk.Faults = stall;
        int taken = 0;
        PageReservation room;
        while (writer.Appender.TryReserve(1000, out room))
        {
            room.Span.Fill((byte)++taken);
            room.Publish();
            await Task.Yield();
        }

        Assert.InRange(taken, 9, 12); // Three pages of four such messages at most.
        Assert.Empty(writer.Sink.Durable);
        Task waiting = writer.Appender.WaitForPageAsync().AsTask();
        await Task.Yield();
        Assert.False(waiting.IsCompleted);
        stall.End.SetResult();
        await waiting;
        await writer.Appender.FlushAsync();
        Assert.Equal(taken * 1000, writer.Sink.Durable.Sum(record => record.Payload.Length));
    });

    [Fact]
    public void What_a_killed_process_left_unsynced_is_on_the_device_before_its_successor_counts_it() => SingleThread.Run(async () =>
    {
        for (int seed = 0; seed < 20; seed++)
        {
            var disk = new MemoryFileSystem();
            LogStoreEnvironment first = LogScene.Environment(disk);
            LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, first));
            await writer.AppendAsync([1]);
            disk.Faults = new Stall(); // The record is written, and never synced.
            await writer.PublishAsync([2]);
            await Task.Yield();
            await Task.Yield();
            ((MemoryProcess)first.Memory).Kill();
            disk.Faults = null;
            LogHarness successor = await LogScene.StartAsync(disk);
            Assert.Equal(new Lsn(2), successor.Start.LastLsn);
            disk.Crash(new Random(seed));
            await using LogHarness third = await LogScene.StartAsync(disk);
            Assert.Equal(new Lsn(2), third.Start.LastLsn);
            Assert.Equal(new Epoch(3), third.Start.Epoch);
        }
    });

    [Fact]
    public async Task A_network_file_system_is_refused_unless_allowed()
    {
        await using WriteAheadLog log =
            await WriteAheadLog.OpenAsync(new LocalStorageOnNfs().Storage(allow: false), LogScene.Options, LogScene.Environment(_disk));
        LogStoreException refused = await Assert.ThrowsAsync<LogStoreException>(async () => await log.TryAcquireAsync());
        Assert.Equal("IC-2042", refused.Code);
        Assert.Contains("nfs", refused.Message, StringComparison.Ordinal);
        await using WriteAheadLog allowed =
            await WriteAheadLog.OpenAsync(new LocalStorageOnNfs().Storage(allow: true), LogScene.Options, LogScene.Environment(_disk));
        await using ILogLease? lease = await allowed.TryAcquireAsync();
        Assert.NotNull(lease);
    }

    [Theory]
    [InlineData("ftp:/x")]
    [InlineData("nothing")]
    [InlineData("file:")]
    public void A_store_that_is_not_known_is_refused_with_a_sentence(string uri)
    {
        LogStoreException refused =
            Assert.Throws<LogStoreException>(() => LogStores.Open(uri, "bank", new LogStoreOptions(), new LogStoreEnvironment()));
        Assert.Equal("IC-2040", refused.Code);
        Assert.Equal(ExitCode.StoreNotUsable, refused.ExitCode);
    }

    [Fact]
    public void What_can_be_a_store_and_what_a_catalog_is_listed_for_each()
    {
        var environment = new LogStoreEnvironment
            { Stores = [new Service(logs: true, catalogs: false), new Service(logs: false, catalogs: true)] };
        LogStoreException store =
            Assert.Throws<LogStoreException>(() => LogStores.Open("ftp:/x", "bank", new LogStoreOptions(), environment));
        Assert.EndsWith("use file:/path, logs://place or memory:", store.Message, StringComparison.Ordinal);
        LogStoreException catalog = Assert.Throws<LogStoreException>(() => Catalogs.Open("ftp:/x", environment));
        Assert.EndsWith("use file:/path, catalogs://place, dns:{instance}.domain:port or memory:", catalog.Message,
            StringComparison.Ordinal);
    }

    private sealed class Service(bool logs, bool catalogs) : IStoreProvider
    {
        public string Scheme => logs ? "logs" : "catalogs";

        public string Form => $"{Scheme}://place";

        public bool HoldsLogs => logs;

        public bool HoldsCatalogs => catalogs;

        public ILogStorage OpenLog(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment) =>
            throw new NotSupportedException();

        public ICatalog OpenCatalog(string uri, LogStoreEnvironment environment) => throw new NotSupportedException();
    }

    private sealed class FlipWhenSynced(MemoryFileSystem disk, string ending) : IFileFaults
    {
        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (call.Kind == FileCallKind.SyncData && call.Path.EndsWith(ending, StringComparison.Ordinal))
            {
                disk.FlipBits(call.Path, 6000, 0x10);
            }

            return default;
        }
    }

    /// <summary>Nothing new finds room; overwriting what exists works.</summary>
    private sealed class FullDisk : IFileFaults
    {
        public ValueTask<FileFault> BeforeAsync(FileCall call) =>
            new(call.Kind == FileCallKind.Write && call.Path.Contains(".tmp", StringComparison.Ordinal) ? new FileFault(Errno.ENOSPC)
                : FileFault.None);
    }

    private sealed class Stall : IFileFaults
    {
        public TaskCompletionSource End { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public async ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (call.Kind == FileCallKind.SyncData)
            {
                await End.Task;
            }

            return FileFault.None;
        }
    }

    private sealed class LocalStorageOnNfs : IFileSystem
    {
        private readonly MemoryFileSystem _inner = new();

        public Storage.Local.LocalLogStorage Storage(bool allow) =>
            new(this, "/", "bank", LogScene.Options with { AllowNetworkFileSystem = allow });

        public ValueTask<IFile> OpenAsync(string path, FileOpening opening) => _inner.OpenAsync(path, opening);

        public ValueTask CreateFolderAsync(string path) => _inner.CreateFolderAsync(path);

        public ValueTask<bool> DeleteFolderAsync(string path) => _inner.DeleteFolderAsync(path);

        public ValueTask RenameAsync(string from, string to) => _inner.RenameAsync(from, to);

        public ValueTask<bool> TryRenameNewAsync(string from, string to) => _inner.TryRenameNewAsync(from, to);

        public ValueTask<bool> DeleteAsync(string path) => _inner.DeleteAsync(path);

        public ValueTask<IReadOnlyList<string>> ListAsync(string folder) => _inner.ListAsync(folder);

        public ValueTask SyncFolderAsync(string folder) => _inner.SyncFolderAsync(folder);

        public ValueTask<FileStatus?> StatAsync(string path) => _inner.StatAsync(path);

        public ValueTask<VolumeStatus> VolumeAsync(string path) => new(new VolumeStatus("nfs", true, 1 << 30));
    }
}
