using System.Buffers;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.State;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore.Files.Memory;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>How often a destination is dialled that is there and takes nothing.</summary>
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
            await using var buffer = new OutputBuffer("shop", new OutputMemory(1 << 20),
                new SpillFile(new MemoryFileSystem(), "/scratch", "shop", new SpillBudget(1 << 20)));
            var settings = new PeerSettings("default", "teller", new Guid("dddddddd-0000-0000-0000-000000000001"), 1, 1 << 20,
                TimeSpan.FromSeconds(1), TimeProvider.System, lines);
            var link = new PeerOutputLink(
                buffer, settings, core.Network.Node("teller"), core.Catalog, new ReconnectPolicy(clock, static () => 0.5, stop.Token),
                new Nobody());
            await buffer.AppendAsync(new ReadOnlySequence<byte>([8, 0, 0, 2, 1]), 1);
            Task running = link.RunAsync();
            await Within.Until(() => link.Disconnects >= Times);
            link.Stop();
            await stop.CancelAsync();
            await Task.WhenAny(running);
        }).OrFail();
        Assert.True(clock.Elapsed > TimeSpan.FromSeconds(5), $"{Times} times in {clock.Elapsed.TotalSeconds:F1} s");
        Assert.InRange(lines.All.Count(static line => line.StartsWith("Output to shop waits", StringComparison.Ordinal)), 0, 5);
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
