using System.Buffers;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Errors;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>Checkpoints that are released or replaced while somebody is about to use them, which no service prevents.</summary>
public sealed class LostCheckpointTests
{
    private static readonly byte[] s_heartbeat = [4, 79, 0];

    [Fact]
    public async Task An_app_whose_checkpoint_goes_while_it_is_sent_begins_again_and_its_coordinator_stays()
    {
        var disk = new MemoryFileSystem();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk });
        await using (ScriptedApp first = await core.ConnectAppAsync())
        {
            await first.BecomePrimaryAsync();
            await first.HearAsync(BindingMessageType.Rpc);
        }

        var gone = new GoneWhenReadAgain(disk);
        disk.Faults = gone;
        await using (ScriptedApp second = await core.ConnectAppAsync())
        {
            await Assert.ThrowsAnyAsync<IOException>(async () =>
            {
                await second.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
                await second.HearAsync(BindingMessageType.BecomingPrimary);
            });
        }

        await Within.Until(() => core.Lines.All.Any(static line => line.Contains("IC-2015", StringComparison.Ordinal)));
        disk.Faults = null;
        gone.Restore();
        await using ScriptedApp third = await core.ConnectAppAsync();
        await third.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await third.HearAsync(BindingMessageType.RecordInfo);
        await third.DoneAsync(1);
        await third.HearAsync(BindingMessageType.BecomingPrimary);
        Assert.False(core.Running.IsCompleted);
    }

    [Fact]
    public async Task A_start_whose_checkpoint_goes_while_it_is_read_says_so_and_does_not_call_it_damage()
    {
        var disk = new MemoryFileSystem();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk }))
        {
            await using ScriptedApp app = await core.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await app.HearAsync(BindingMessageType.Rpc);
        }

        disk.Faults = new GoneWhenReadAgain(disk);
        CoordinatorException gone = await Assert.ThrowsAnyAsync<CoordinatorException>(() =>
            CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk }));
        Assert.Equal(("IC-2015", ExitCode.DeviceFailed), (gone.Code, gone.ExitCode));
    }

    [Fact]
    public async Task Who_is_behind_every_checkpoint_that_is_left_fell_behind_and_no_checkpoint_is_called_missing()
    {
        var disk = new MemoryFileSystem();
        var environment = new LogStoreEnvironment { Memory = disk };
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: environment))
        {
            await using ScriptedApp app = await core.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await app.HearAsync(BindingMessageType.Rpc);
        }

        string first = disk.AllFiles().Single(static path => path.EndsWith(".ckpt", StringComparison.Ordinal));
        await using WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions
            { Cluster = "default", SegmentSize = 1 << 20, PageSize = 64 * 1024 }, environment);
        await using (ILogLease lease = await log.AcquireAsync(default))
        {
            await log.BecomeWriterAsync(lease);
            await using CheckpointWriter checkpoint = log.BeginCheckpoint(new Lsn(1));
            await checkpoint.WriteAsync(new byte[100]);
            await checkpoint.CompleteAsync();
        }

        await disk.DeleteAsync(first);
        CoordinatorException behind =
            await Assert.ThrowsAsync<CoordinatorException>(async () => await CheckpointImage.OpenAsync(log, Lsn.None));
        Assert.Equal("IC-3007", behind.Code);
    }

    [Theory] // With another loss there would be none; the log tells nobody by itself that one is missing.
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_start_whose_newest_checkpoint_is_damaged_or_gone_takes_another_at_once(bool damaged)
    {
        var disk = new MemoryFileSystem();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk }))
        {
            await using ScriptedApp app = await core.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await TakeCheckpointAsync(core, app);
        }

        string newest = disk.AllFiles().Where(static path => path.EndsWith(".ckpt", StringComparison.Ordinal)).Max()!;
        if (damaged)
        {
            disk.FlipBits(newest, LogStore.Format.CheckpointHeader.Size + 20, 0x10);
        }
        else
        {
            await disk.DeleteAsync(newest);
        }

        await using CoreUnderTest next = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk });
        await using ScriptedApp again = await next.ConnectAppAsync();
        await again.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await again.HearAsync(BindingMessageType.RecordInfo);
        await again.DoneAsync(1);
        await again.HearAsync(BindingMessageType.TakeCheckpoint);
    }

    [Fact]
    public async Task A_start_whose_checkpoints_are_all_there_takes_none()
    {
        var disk = new MemoryFileSystem();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk }))
        {
            await using ScriptedApp app = await core.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await TakeCheckpointAsync(core, app);
        }

        await using CoreUnderTest next = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk });
        await using ScriptedApp again = await next.ConnectAppAsync();
        await again.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await again.HearAsync(BindingMessageType.BecomingPrimary, before: BindingMessageType.TakeCheckpoint);
        next.Core.RequestCheckpoint();
        await again.HearAsync(BindingMessageType.TakeCheckpoint);
        Assert.Equal(0ul, (ulong)next.Status.Snapshot().Checkpoints.Taken);
    }

    [Fact]
    public async Task A_start_reads_its_checkpoint_as_a_whole_once_and_once_more_to_stream_it()
    {
        var disk = new MemoryFileSystem();
        const int Size = 3_000_000;
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk }))
        {
            await using ScriptedApp app = await core.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await TakeCheckpointAsync(core, app, Size);
        }

        var reads = new CountedReads();
        disk.Faults = reads;
        await using CoreUnderTest next = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk });
        Assert.InRange(reads.Bytes, Size, (long)(1.2 * Size));
        await using (ScriptedApp again = await next.ConnectAppAsync())
        {
            await again.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
            await again.HearAsync(BindingMessageType.BecomingPrimary);
            Assert.InRange(reads.Bytes, 2 * Size, (long)(2.2 * Size));
        }

        // A later app is not given a checkpoint that was proven long ago.
        reads.Bytes = 0;
        await using ScriptedApp later = await next.ConnectAppAsync();
        await later.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await later.HearAsync(BindingMessageType.BecomingPrimary);
        Assert.InRange(reads.Bytes, 2 * Size, (long)(2.2 * Size));
    }

    [Fact]
    public async Task A_checkpoint_that_is_damaged_between_the_start_and_its_app_gives_way_to_an_older_one_at_the_second_attempt()
    {
        var disk = new MemoryFileSystem();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk }))
        {
            await using ScriptedApp app = await core.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await TakeCheckpointAsync(core, app);
        }

        await using CoreUnderTest next = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk });
        string newest = disk.AllFiles().Where(static path => path.EndsWith(".ckpt", StringComparison.Ordinal)).Max()!;
        disk.FlipBits(newest, LogStore.Format.CheckpointHeader.Size + 20, 0x10);
        await using (ScriptedApp first = await next.ConnectAppAsync())
        {
            await Assert.ThrowsAnyAsync<IOException>(async () =>
            {
                await first.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
                await first.HearAsync(BindingMessageType.BecomingPrimary);
            });
        }

        await using ScriptedApp second = await next.ConnectAppAsync();
        await second.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await second.HearAsync(BindingMessageType.RecordInfo); // The record between the two checkpoints.
        Assert.False(next.Running.IsCompleted);
    }

    private static async Task TakeCheckpointAsync(CoreUnderTest core, ScriptedApp app, int size = 0)
    {
        await app.HearAsync(BindingMessageType.Rpc);
        await app.DoneAsync(1);
        await Within.Until(() => core.Status.Snapshot() is { Role: "primary", App.Lsn: 1 });
        Task<ulong> taken = core.Status.CheckpointAsync(CancellationToken.None);
        await app.HearAsync(BindingMessageType.TakeCheckpoint);
        byte[] told = new byte[Varint.MaxSize64];
        await app.SayAsync(BindingMessageType.Checkpoint, output => output.Write(told.AsSpan(0, Varint.WriteZigZag(told, size))));
        // They look like heartbeats, so that an app that reads the link message by message stays in step.
        await app.SayBytesAsync([.. Enumerable.Range(0, size).Select(static n => s_heartbeat[n % 3])]);
        Assert.NotEqual(0ul, await taken.OrFail()); // It does not replace the first one.
    }

    /// <summary>Turns bits of a checkpoint when it is read a second time: behind its verification.</summary>
    private sealed class GoneWhenReadAgain(MemoryFileSystem disk) : IFileFaults
    {
        private int _reads;
        private (string Path, long Offset)? _turned;

        /// <summary>As if another one were there now.</summary>
        public void Restore() => disk.FlipBits(_turned!.Value.Path, _turned.Value.Offset, 0x10);

        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (call.Kind == FileCallKind.Read && call.Path.EndsWith(".ckpt", StringComparison.Ordinal))
            {
                // Verification and use each read the header once; the use finds the content changed.
                _reads += call.Offset == 0 ? 1 : 0;
                if (_reads >= 2 && call.Offset > 0 && _turned is null)
                {
                    _turned = (call.Path, call.Offset);
                    disk.FlipBits(call.Path, call.Offset, 0x10);
                }
            }

            return new(FileFault.None);
        }
    }

    private sealed class CountedReads : IFileFaults
    {
        public long Bytes { get; set; }

        public ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            Bytes += call.Kind == FileCallKind.Read && call.Path.EndsWith(".ckpt", StringComparison.Ordinal) ? call.Length : 0;
            return new(FileFault.None);
        }
    }
}
