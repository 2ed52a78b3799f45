using System.Buffers;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.State;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>How often a destination is dialled that is there and takes nothing, and how a link ends.</summary>
public sealed class RedialTests
{
    private const int Times = 100;

    [Fact]
    public async Task A_destination_that_answers_and_then_hangs_up_is_dialled_ever_more_slowly_and_named_once()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(); // For its network and catalog.
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(core, "shop", durable: 0);
        var clock = new LeapingClock();
        var lines = new LogLines();
        await SingleThread.Run(async () =>
        {
            using var stop = new CancellationTokenSource();
            await using OutputBuffer buffer = await BufferAsync("shop");
            PeerOutputLink link = Link(buffer, core, core.Catalog, lines, clock, stop.Token);
            Task running = link.RunAsync();
            await Within.Until(() => link.Disconnects >= Times);
            link.Stop();
            await stop.CancelAsync();
            await Task.WhenAny(running);
        }).OrFail();
        Assert.True(clock.Elapsed > TimeSpan.FromSeconds(5), $"{Times} times in {clock.Elapsed.TotalSeconds:F1} s");
        Assert.InRange(lines.All.Count(static line => line.StartsWith("Output to shop waits", StringComparison.Ordinal)), 0, 5);
    }

    /// <summary>It would have held up the end of the whole instance.</summary>
    [Fact]
    public async Task One_that_is_told_to_stop_while_it_looks_an_address_up_ends_and_connects_nowhere()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        Func<PeerHello, Watermark> nothing = static hello => new Watermark(0, 0, hello.Epoch);
        await using AnsweringPeer shop = await AnsweringPeer.StartAsync(core, "shop", nothing, trim: nothing); // It stays.
        var catalog = new HeldCatalog(core.Catalog, "teller");
        catalog.Hold();
        var lines = new LogLines();
        await SingleThread.Run(async () =>
        {
            using var stop = new CancellationTokenSource();
            await using OutputBuffer buffer = await BufferAsync("shop");
            PeerOutputLink link = Link(buffer, core, catalog, lines, new LeapingClock(), stop.Token);
            Task running = link.RunAsync();
            await catalog.UntilAskedAsync(1);
            link.Stop();
            await stop.CancelAsync();
            catalog.Answer(0);
            await running.OrFail();
        }).OrFail();
        Assert.Equal(0, shop.Dialled);
    }

    [Fact] // What is sent next was let go of while the message before it was read.
    public async Task One_whose_destination_confirms_what_has_not_left_ends_only_its_connection()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using AnsweringPeer liar = await AnsweringPeer.StartAsync(
            core, "shop", static hello => new Watermark(0, 0, hello.Epoch), static hello => new Watermark(3, 3, hello.Epoch));
        var disk = new HeldReads();
        var lines = new LogLines();
        await SingleThread.Run(async () =>
        {
            using var stop = new CancellationTokenSource();
            var memory = new MemoryFileSystem { Faults = disk };
            await memory.CreateFolderAsync("/scratch");
            await using var buffer = new OutputBuffer(
                "shop", new OutputMemory(1), new SpillFile(memory, "/scratch", "shop", new SpillBudget(1 << 20)));
            var large = new ArrayBufferWriter<byte>();
            var writer = new ByteWriter(large);
            writer.WriteZigZag(100_004);
            writer.WriteBytes([0, 0, 2, 1]);
            writer.WriteBytes(new byte[100_000]);
            await buffer.AppendAsync(new ReadOnlySequence<byte>(large.WrittenMemory), 1);
            await buffer.AppendAsync(new ReadOnlySequence<byte>(large.WrittenMemory), 1);
            await Within.Until(() => buffer.SpilledBytes > 0);
            await buffer.AppendAsync(new ReadOnlySequence<byte>([8, 0, 0, 2, 1]), 1);
            PeerOutputLink link = Link(buffer, core, core.Catalog, lines, new LeapingClock(), stop.Token);
            Task running = link.RunAsync();
            try
            {
                await liar.Trimmed.OrFail();
                await Task.Delay(100); // It is heard.
                disk.Release();
                await Within.Until(() => link.Disconnects > 0 || running.IsCompleted);
                Assert.Equal("", running.Exception?.ToString() ?? (running.IsCompleted ? "it has ended" : ""));
                // It has let go of nothing, and sends it by the next connection.
                Assert.Null(await Record.ExceptionAsync(() => Within.Until(() => liar.Batches > 0, Patience.Time / 2)));
            }
            finally
            {
                disk.Release();
                link.Stop();
                await stop.CancelAsync();
                await Task.WhenAny(running);
            }
        }).OrFail();
        Assert.NotEmpty(lines.All);
    }

    private static async Task<OutputBuffer> BufferAsync(string destination)
    {
        var buffer = new OutputBuffer(destination, new OutputMemory(1 << 20),
            new SpillFile(new MemoryFileSystem(), "/scratch", destination, new SpillBudget(1 << 20)));
        await buffer.AppendAsync(new ReadOnlySequence<byte>([8, 0, 0, 2, 1]), 1);
        return buffer;
    }

    private static PeerOutputLink Link(
        OutputBuffer buffer, CoreUnderTest core, ICatalog catalog, LogLines lines, TimeProvider clock, CancellationToken stop) =>
        new(buffer, new PeerSettings("default", "teller", new Guid("dddddddd-0000-0000-0000-000000000001"), 1, 1 << 20,
                TimeSpan.FromSeconds(1), TimeProvider.System, lines),
            core.Network.Node("teller"), catalog, new ReconnectPolicy(clock, static () => 0.5, stop), new Nobody());

    private sealed class HeldReads : IFileFaults
    {
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Release() => _released.TrySetResult();

        async ValueTask<FileFault> IFileFaults.BeforeAsync(FileCall call)
        {
            await (call.Kind == FileCallKind.Read ? _released.Task : Task.CompletedTask);
            return FileFault.None;
        }
    }

    private sealed class Nobody : IPeerFailures
    {
        public void Accused(string destination, string evidence) => throw new InvalidOperationException(evidence);

        public void LogOlderThanPeerKnows(string destination, ulong has, ulong confirmed) =>
            throw new InvalidOperationException(destination);

        public bool MayFollow(OutputBuffer buffer, ulong replayable) => true;

        public void Answered(OutputBuffer buffer) => buffer.Named();

        public void Trimmed(OutputBuffer buffer)
        {
        }
    }
}
