using System.Buffers;
using System.Text.RegularExpressions;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Poison;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>docs/internals/exactly-once.md H26: what waits for a destination that stays away is kept in a file, and is never
/// sent.</summary>
public sealed class DropTests
{
    private const int Size = 5000;
    private const string Folder = "/bank/dropped";
    private static readonly Guid s_shop = new("cccccccc-0000-0000-0000-000000000001");

    [Fact]
    public async Task An_app_goes_on_when_what_waits_for_a_destination_that_stays_away_was_dropped_and_kept()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment, change: Tighten);
        await using ScriptedApp app = await IdleAppAsync(core);
        await SendAsync(app, 3);
        await Within.Until(() => Dropped(core) >= 2);
        await app.ReportAsync(1, 1, complete: true);
        await Within.Until(() => core.Status.Snapshot().App.Lsn >= 1);
        await Within.Until(() => core.Lines.All.Any(static line =>
            line.StartsWith("1532 IC-2113 shop has not answered", StringComparison.Ordinal)));
        ulong dropped = Dropped(core);
        List<DroppedRun> kept = await KeptAsync(disk.Environment);
        Assert.Equal(dropped, (ulong)kept.Sum(static run => run.Count));
        Assert.Equal(1UL, kept[0].Number);
        await Within.Until(() => core.Status.Snapshot().Totals.OutputsDropped == (long)dropped);
    }

    [Fact] // The file comes first, then the decision: whatever is dropped can be read.
    public async Task Nothing_is_dropped_before_the_decision_is_durable()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment, change: Tighten);
        await using ScriptedApp app = await IdleAppAsync(core);
        await SendAsync(app, 1);
        await Within.Until(() => core.Status.Snapshot().Outputs.Any(static output => output is { Peer: "shop", Total: 1 }));
        disk.Hold();
        await SendAsync(app, 2);
        try
        {
            Task held = disk.UntilHeldAsync();
            await Within.Until(() => held.IsCompleted || IsAnyDropped(core));
            Assert.False(IsAnyDropped(core));
            Assert.Contains(((MemoryFileSystem)disk.Environment.Memory).AllFiles(), static path =>
                path.StartsWith(Folder, StringComparison.Ordinal));
            Assert.NotEmpty(await KeptAsync(disk.Environment));
        }
        finally
        {
            disk.Release();
        }

        await Within.Until(() => Dropped(core) > 0);
    }

    [Fact]
    public async Task A_destination_that_comes_back_is_told_what_will_never_come_before_it_gets_what_follows()
    {
        var disk = new HeldDisk();
        ulong dropped;
        await using (CoreUnderTest first = await CoreUnderTest.StartAsync(log: disk.Environment, change: Tighten))
        {
            await using ScriptedApp app = await IdleAppAsync(first);
            await SendAsync(app, 3);
            await Within.Until(() => Dropped(first) >= 2);
            dropped = Dropped(first);
        }

        // The next life brings forth the same messages again, and sends none that was dropped.
        await using CoreUnderTest second = await CoreUnderTest.StartAsync(log: disk.Environment, change: Tighten);
        var heard = new TaskCompletionSource<(PeerHello Hello, PeerGap Gap, BatchHeader Batch)>(
            TaskCreationOptions.RunContinuationsAsynchronously);
        await using IListener shop = await second.Network.Node("shop").ListenAsync(
            EndPointName.Pipe("shop"), connection => HearAsync(connection, heard), default);
        await second.Catalog.PutAsync(
            new CatalogEntry { Instance = "shop", InstanceId = s_shop.ToString("N"), PeerAddress = "pipe:shop" }, null);
        await using ScriptedApp next = await second.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await next.HearAsync(BindingMessageType.Rpc);
        await SendAsync(next, (int)dropped + 1);
        await next.ReportAsync(1, 1, complete: true);
        (PeerHello hello, PeerGap gap, BatchHeader batch) = await heard.Task.OrFail();
        Assert.Equal(PeerHello.VersionWithGaps, hello.Version);
        Assert.Equal(new PeerGap(1, 1, dropped), gap);
        Assert.Equal((dropped + 1, dropped + 1), (batch.FirstTotal, batch.FirstReplayable));
    }

    [Fact]
    public async Task Messages_that_will_never_come_are_accepted_in_the_log_and_counted_and_what_follows_is_taken()
    {
        var disk = new HeldDisk();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment))
        {
            await using ScriptedApp app = await IdleAppAsync(core);
            await using ScriptedPeer peer = await ScriptedPeer.DialAsync(core, WithGaps);
            await peer.HearWatermarkAsync(FrameKind.Answer);
            await peer.SendGapAsync(new PeerGap(1, 1, 40));
            await Within.Until(() => core.Describe().Contains("from shop: 40/40@5 durable 40/40@5", StringComparison.Ordinal));
            await peer.SendOneAsync(41);
            await Within.Until(() => core.Describe().Contains("from shop: 41/41@5 durable 41/41@5", StringComparison.Ordinal));
            await Within.Until(() => core.Status.Snapshot().Totals.InputsMissed == 40);
            Assert.Contains(core.Lines.All, static line =>
                line.StartsWith("1533 IC-2114 shop has dropped messages 1 to 40", StringComparison.Ordinal));
        }

        await using CoreUnderTest second = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedPeer again = await ScriptedPeer.DialAsync(second, WithGaps with { Generation = 2 });
        Assert.Equal(new Watermark(41, 41, 5), await again.HearWatermarkAsync(FrameKind.Answer));
    }

    [Fact] // Until it is durable the sender may not hear of it: a crash would take it back.
    public async Task That_messages_will_never_come_is_confirmed_only_when_it_is_durable()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedApp app = await IdleAppAsync(core);
        await using ScriptedPeer peer = await ScriptedPeer.DialAsync(core, WithGaps);
        await peer.HearWatermarkAsync(FrameKind.Answer);
        disk.Hold();
        await peer.SendGapAsync(new PeerGap(1, 1, 40));
        await Within.Until(() => core.Describe().Contains("from shop: 40/40@5 ", StringComparison.Ordinal));
        Assert.Contains("from shop: 40/40@5 durable 0/0@0", core.Describe(), StringComparison.Ordinal);
        await disk.UntilHeldAsync();
        await using ScriptedPeer again = await ScriptedPeer.DialAsync(core, WithGaps with { Generation = 2 });
        await Within.Until(() => peer.HasNews); // Its connection was closed; the next one is not answered yet.
        Assert.False(again.HasNews);
        disk.Release();
        Assert.Equal(new Watermark(40, 40, 5), await again.HearWatermarkAsync(FrameKind.Answer));
    }

    [Fact]
    public async Task A_gap_waits_until_what_came_before_it_is_durable()
    {
        var disk = new HeldDisk();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedApp app = await IdleAppAsync(core);
        await using ScriptedPeer peer = await ScriptedPeer.DialAsync(core, WithGaps);
        await peer.HearWatermarkAsync(FrameKind.Answer);
        disk.Hold();
        await peer.SendOneAsync(1);
        await disk.UntilHeldAsync();
        await peer.SendGapAsync(new PeerGap(2, 2, 40));
        await Within.Until(() => core.Describe().Contains("from shop: 41/41@5", StringComparison.Ordinal)
            || core.Lines.All.Any(static line => line.StartsWith("1408 ", StringComparison.Ordinal)));
        bool isAhead = core.Describe().Contains("from shop: 41/41@5", StringComparison.Ordinal);
        disk.Release();
        Assert.False(isAhead, "it is accepted before message 1 is durable");
        await Within.Until(() => core.Describe().Contains("from shop: 41/41@5 durable 41/41@5", StringComparison.Ordinal));
    }

    [Fact] // Of several pages that wait for the disk the first would say it, before what was accepted earlier has its record.
    public async Task That_messages_will_never_come_is_logged_after_all_that_was_accepted_before()
    {
        var disk = new HeldDisk();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment))
        {
            await using ScriptedApp app = await IdleAppAsync(core);
            await using ScriptedPeer peer = await ScriptedPeer.DialAsync(core, WithGaps);
            await peer.HearWatermarkAsync(FrameKind.Answer);
            disk.Hold();
            await peer.SendOneAsync(1);
            await disk.UntilHeldAsync();
            await peer.SendLargeAsync(2, 40_000);
            await peer.SendLargeAsync(3, 40_000); // Each in a page of its own.
            await Within.Until(() => core.Describe().Contains("from shop: 3/3@5 durable 0/0@0", StringComparison.Ordinal));
            await peer.SendGapAsync(new PeerGap(4, 4, 40));
            await Within.Until(() => core.Describe().Contains("from shop: 43/43@5", StringComparison.Ordinal)
                || core.Lines.All.Any(static line => line.StartsWith("1408 ", StringComparison.Ordinal)));
            disk.Release();
            await peer.SendOneAsync(44);
            await Within.Until(() => core.Running.IsCompleted
                || core.Describe().Contains("from shop: 44/44@5 durable 44/44@5", StringComparison.Ordinal));
            Assert.False(core.Running.IsCompleted, core.Running.Exception?.ToString());
        }

        await using CoreUnderTest second = await CoreUnderTest.StartAsync(log: disk.Environment);
        await using ScriptedPeer again = await ScriptedPeer.DialAsync(second, WithGaps with { Generation = 2 });
        Assert.Equal(new Watermark(44, 44, 5), await again.HearWatermarkAsync(FrameKind.Answer));
    }

    [Theory]
    [InlineData(3ul, 3ul, 5ul, "gap starts at 3/3, expected 2/2")]
    [InlineData(2ul, 3ul, 5ul, "gap starts at 2/3, expected 2/2")]
    [InlineData(2ul, 2ul, 0ul, "a gap of no messages")]
    [InlineData(2ul, 2ul, ulong.MaxValue, "nothing is numbered above")]
    public async Task A_gap_that_does_not_follow_what_was_accepted_is_refused(ulong total, ulong replayable, ulong count, string why)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await IdleAppAsync(core);
        await using ScriptedPeer peer = await ScriptedPeer.DialAsync(core, WithGaps);
        await peer.HearWatermarkAsync(FrameKind.Answer);
        await peer.SendOneAsync(1);
        await Within.Until(() => core.Describe().Contains("from shop: 1/1@5 durable 1/1@5", StringComparison.Ordinal));
        await SayAsync(peer, new PeerGap(total, replayable, count));
        await Within.Until(() => core.Lines.All.Any(line => line.Contains(why, StringComparison.Ordinal)));
        Assert.Contains("from shop: 1/1@5 durable 1/1@5", core.Describe(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_gap_on_a_connection_that_did_not_say_that_it_may_come_is_refused()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await IdleAppAsync(core);
        await using ScriptedPeer peer = await ScriptedPeer.DialAsync(core, ScriptedPeer.Hello);
        await peer.HearWatermarkAsync(FrameKind.Answer);
        await SayAsync(peer, new PeerGap(1, 1, 40));
        await Within.Until(() => core.Lines.All.Any(static line => line.Contains("Gap on a data connection", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Nothing_is_dropped_that_cannot_be_kept()
    {
        var disk = new FullFolder();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk.Environment, change: Tighten);
        await using ScriptedApp app = await IdleAppAsync(core);
        await SendAsync(app, 3);
        await Within.Until(() => IsAnyDropped(core)
            || core.Lines.All.Any(static line => line.StartsWith("1534 IC-2115", StringComparison.Ordinal)));
        Assert.False(IsAnyDropped(core));
        disk.IsFull = false;
        await Within.Until(() => Dropped(core) > 0);
    }

    [Fact] // The log may lie on the same disk.
    public async Task Nothing_is_dropped_while_keeping_it_would_leave_the_log_no_room()
    {
        var files = new MemoryFileSystem();
        var disk = new LogStoreEnvironment { Memory = files };
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(log: disk, change: Tighten);
        await using ScriptedApp app = await IdleAppAsync(core);
        files.FreeBytes = core.Options.SegmentSize;
        await SendAsync(app, 3);
        await Within.Until(() => IsAnyDropped(core) || core.Lines.All.Any(static line =>
            line.StartsWith("1534 IC-2115", StringComparison.Ordinal) && line.Contains("tried again in 1 s", StringComparison.Ordinal)));
        Assert.False(IsAnyDropped(core));
        Assert.Empty(await files.ListAsync(Folder));
        files.FreeBytes += 1 << 20;
        await Within.Until(() => Dropped(core) > 0);
        Assert.All(await files.ListAsync(Folder), static name => Assert.EndsWith(DroppedFile.Ending, name, StringComparison.Ordinal));
    }

    // The other side may have hung up before the last byte is sent.
    private static async Task SayAsync(ScriptedPeer peer, PeerGap gap)
    {
        try
        {
            await peer.SendGapAsync(gap);
        }
        catch (ConnectionLostException)
        {
            // What it was told is in its log.
        }
    }

    private static PeerHello WithGaps => ScriptedPeer.Hello with { Version = PeerHello.VersionWithGaps };

    private static bool IsAnyDropped(CoreUnderTest core) =>
        Regex.IsMatch(core.Describe(), "dropped [1-9]"); // Now; a picture of the status may be a second old.

    private static ulong Dropped(CoreUnderTest core) =>
        core.Status.Snapshot().Outputs.FirstOrDefault(static output => output.Peer == "shop")?.Dropped ?? 0;

    private static void Tighten(CoordinatorOptions options)
    {
        // What a turn sends leaves at once.
        (options.MaxSpill, options.MaxBuffered, options.MaxTurnBytes) = (Size, 1, 1);
        (options.DropOutputsAfter, options.Heartbeat) = (TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(20));
    }

    private static async Task<List<DroppedRun>> KeptAsync(LogStoreEnvironment environment)
    {
        var files = (MemoryFileSystem)environment.Memory;
        var runs = new List<DroppedRun>();
        foreach (string name in await files.ListAsync(Folder))
        {
            runs.AddRange(DroppedFile.Read(new MemoryStream(files.ReadAll($"{Folder}/{name}"))));
        }

        return runs;
    }

    // Answers that it has nothing, and hears what comes on data.
    private static async Task HearAsync(
        IConnection connection, TaskCompletionSource<(PeerHello Hello, PeerGap Gap, BatchHeader Batch)> heard)
    {
        await using (connection)
        {
            if (await FrameSender.ReadSmallAsync(connection.Input, default) is not { Kind: FrameKind.Hello } first)
            {
                return;
            }

            PeerHello hello = PeerHello.Read(first.Body);
            if (hello.Channel == PeerChannel.Control)
            {
                await heard.Task;
                return;
            }

            var body = new ArrayBufferWriter<byte>();
            new PeerAnswer(Watermark.None, ReceiverEpoch: 1, s_shop).Write(body);
            await FrameSender.SendAsync(connection.Output, FrameKind.Answer, body.WrittenMemory);
            if (await FrameSender.ReadSmallAsync(connection.Input, default) is { Kind: FrameKind.Gap } gap)
            {
                while (true)
                {
                    var result = await connection.Input.ReadAsync();
                    ReadOnlySequence<byte> buffer = result.Buffer;
                    if (FrameReader.TryRead(ref buffer, 1 << 20, out _, out ReadOnlySequence<byte> batch))
                    {
                        heard.TrySetResult((hello, PeerGap.Read(gap.Body), BatchHeader.Read(batch, out _)));
                        return;
                    }

                    connection.Input.AdvanceTo(buffer.Start, buffer.End);
                    if (result.IsCompleted)
                    {
                        return;
                    }
                }
            }
        }
    }

    private static async Task<ScriptedApp> IdleAppAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        return app;
    }

    private static async Task SendAsync(ScriptedApp app, int count)
    {
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, "shop").Write);
        for (int i = 0; i < count; i++)
        {
            await app.SayAsync(BindingMessageType.Outputs, WriteFork);
        }
    }

    // A fork of method 1 to destination 0; its arguments do not matter.
    private static void WriteFork(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(0);
        writer.WriteVarint(1);
        writer.WriteZigZag(Size + 5);
        writer.WriteBytes([0, 0, 2, 1]);
        writer.WriteBytes(new byte[Size + 1]);
    }

    /// <summary>A disk on which no file of dropped outputs can be written while it is full.</summary>
    private sealed class FullFolder : IFileFaults
    {
        public FullFolder() =>
            Environment = new LogStoreEnvironment { Memory = new MemoryFileSystem { Faults = this } };

        public LogStoreEnvironment Environment { get; }

        public bool IsFull { get; set; } = true;

        public ValueTask<FileFault> BeforeAsync(FileCall call) => new(
            IsFull && call.Kind == FileCallKind.Write && call.Path.StartsWith(Folder, StringComparison.Ordinal)
                ? new FileFault(Errno.ENOSPC) : FileFault.None);
    }
}
