using System.Buffers;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.State;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>Pasts that do not fit together, and what of them is said to whom.</summary>
public sealed class HistoryTests
{
    [Fact]
    public async Task A_checkpoint_that_is_intact_and_cannot_be_understood_stops_the_start_with_its_name()
    {
        var log = new LogStoreEnvironment();
        await using (CoreUnderTest first = await CoreUnderTest.StartAsync(log: log))
        {
            await using ScriptedApp app = await first.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await app.HearAsync(BindingMessageType.Rpc);
            await app.DoneAsync(1);
        }

        var sizes = new LogStoreOptions { Cluster = "default", SegmentSize = 1 << 20, PageSize = 64 * 1024 };
        await using (WriteAheadLog writer = await LogStores.OpenLogAsync("memory:", "bank", sizes, log))
        {
            await using ILogLease lease = await writer.AcquireAsync(default);
            await writer.BecomeWriterAsync(lease);
            await using CheckpointWriter checkpoint = writer.BeginCheckpoint(new Lsn(1));
            await checkpoint.WriteAsync(new byte[] { 3, 0, 0, 0, 0x63, 1, 2 }); // A head of three bytes, of format 99.
            await checkpoint.CompleteAsync();
        }

        CoordinatorException unreadable = await Assert.ThrowsAsync<CoordinatorException>(async () =>
        {
            await using CoreUnderTest second = await CoreUnderTest.StartAsync(log: log);
            await second.Running;
        });
        Assert.Equal("IC-2014", unreadable.Code);
        Assert.Contains("checkpoint head of format 99", unreadable.Message, StringComparison.Ordinal);
        Assert.Contains(".ckpt", unreadable.Message, StringComparison.Ordinal);
    }

    private static readonly byte[] s_argument = [.. Enumerable.Repeat((byte)0xEE, 40)];

    [Fact]
    public async Task A_durable_record_that_has_rotted_meanwhile_stops_the_instance_when_an_app_needs_it()
    {
        var disk = new MemoryFileSystem();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: new LogStoreEnvironment { Memory = disk });
        await using (ScriptedApp first = await core.ConnectAppAsync())
        {
            await first.BecomePrimaryAsync();
            await first.HearAsync(BindingMessageType.Rpc);
            await first.SayAsync(BindingMessageType.Destination, new DestinationName(0, "").Write);
            for (ulong lsn = 1; lsn <= 8; lsn++) // More than are kept in memory for the next app.
            {
                await SendAsync(first, 0);
                await first.DoneAsync(lsn);
                await first.HearAsync(BindingMessageType.Rpc);
            }
        }

        string segment = disk.AllFiles().First(path => disk.ReadAll(path).AsSpan().IndexOf(s_argument) >= 0);
        disk.FlipBits(segment, disk.ReadAll(segment).AsSpan().IndexOf(s_argument), 0x10);
        await using ScriptedApp second = await core.ConnectAppAsync();
        // It may have been needed already: what the first died in was looked for in the log.
        _ = await Record.ExceptionAsync(() => second.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write));
        LogStoreException damaged = await Assert.ThrowsAnyAsync<LogStoreException>(() => core.Running.OrFail());
        Assert.Equal("IC-2001", damaged.Code);
        // An app that may wait for another coordinator is not told to leave: it sees this one gone.
        await Assert.ThrowsAnyAsync<IOException>(() => second.HearAsync(BindingMessageType.Goodbye, before: BindingMessageType.Drain));
    }

    [Fact]
    public async Task A_log_without_any_checkpoint_is_not_replayed_from_somewhere()
    {
        var disk = new MemoryFileSystem();
        var environment = new LogStoreEnvironment { Memory = disk };
        await using (CoreUnderTest first = await CoreUnderTest.StartAsync(log: environment))
        {
            await using ScriptedApp app = await first.ConnectAppAsync();
            await app.BecomePrimaryAsync();
            await app.HearAsync(BindingMessageType.Rpc);
        }

        foreach (string checkpoint in disk.AllFiles().Where(static path => path.Contains("/checkpoints/", StringComparison.Ordinal)))
        {
            await disk.DeleteAsync(checkpoint);
        }

        CoordinatorException none = await Assert.ThrowsAsync<CoordinatorException>(() => CoreUnderTest.StartAsync(log: environment));
        Assert.Equal("IC-2013", none.Code);
    }

    [Fact]
    public async Task A_scratch_file_that_was_cut_is_noticed()
    {
        IFile file = await new MemoryFileSystem().OpenAsync("/shop.0.spill", FileOpening.CreateNew);
        var segment = new SpillSegment(new SpillFile(new MemoryFileSystem(), "/", "shop", new SpillBudget(1 << 20)), file);
        await segment.WriteAsync(new byte[100]);
        await segment.ReadAsync(new byte[100], 0);
        await file.TruncateAsync(60);
        CoordinatorException cut = await Assert.ThrowsAsync<CoordinatorException>(() => segment.ReadAsync(new byte[100], 0).AsTask());
        Assert.Equal("IC-2110", cut.Code);
    }

    // One fork of method 1.
    private static Task SendAsync(ScriptedApp app, byte destination) =>
        app.SayAsync(BindingMessageType.Outputs, output =>
            output.Write((ReadOnlySpan<byte>)[destination, 1, (byte)(2 * (4 + s_argument.Length)), 0, 0, 2, 1, .. s_argument]));
}
