using System.Globalization;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>Who says nothing for three beats is dead, unless it is this side that has not listened.</summary>
public sealed class HeartbeatTests
{
    [Theory]
    [InlineData(true, "1 1 1")] // Three beats: it may come at the last moment.
    [InlineData(false, "1 1 1 1")]
    [InlineData(true, "600")] // This process stood still, and what the other has said has not been read yet.
    [InlineData(false, "600 1")] // It has had the time of a beat to read it, and there is nothing.
    [InlineData(false, "600 600")] // Who is always late must come to an end, too.
    public async Task A_link_is_ended_after_three_beats_of_silence_that_this_side_has_seen(bool lives, string seconds)
    {
        var clock = new BeatingClock();
        var network = new MemoryNetwork(new MemoryNetworkOptions());
        await using IListener listener =
            await network.Node("bank").ListenAsync(EndPointName.Pipe("peers"), static _ => Task.Delay(Timeout.Infinite), default);
        await using IConnection data = await network.Node("shop").ConnectAsync(listener.EndPoint, default);
        var settings = new PeerSettings("default", "bank", Guid.NewGuid(), 1, 1 << 20, TimeSpan.FromSeconds(1), clock, new LogLines());
        var link = new PeerInputLink(new InputState("shop"), data, ScriptedPeer.Hello, settings);
        using var stop = new CancellationTokenSource();
        int beaten = 0;
        Task running = new Heartbeats(settings, () => [link], [], () => Interlocked.Increment(ref beaten)).RunAsync(stop.Token);
        int[] beats = [.. seconds.Split(' ').Select(static beat => int.Parse(beat, CultureInfo.InvariantCulture))];
        for (int i = 0; i < beats.Length; i++)
        {
            clock.Beat(TimeSpan.FromSeconds(beats[i]));
            await Within.Until(() => Volatile.Read(ref beaten) == i + 1);
        }

        Assert.Equal(lives, link.Open);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
    }

    /// <summary>Its timers fire when they are told to, however much time has passed then.</summary>
    private sealed class BeatingClock : TimeProvider
    {
        private readonly object _gate = new();
        private Action? _next;
        private long _now;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Volatile.Read(ref _now);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            lock (_gate)
            {
                _next = () => callback(state);
                return new Beating();
            }
        }

        public void Beat(TimeSpan passed)
        {
            Action next;
            while (true)
            {
                lock (_gate)
                {
                    if (_next is { } waiting)
                    {
                        (next, _next) = (waiting, null);
                        break;
                    }
                }

                Thread.Yield();
            }

            Interlocked.Add(ref _now, passed.Ticks);
            next();
        }

        private sealed class Beating : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period) => true;

            public void Dispose()
            {
            }

            public ValueTask DisposeAsync() => default;
        }
    }
}
