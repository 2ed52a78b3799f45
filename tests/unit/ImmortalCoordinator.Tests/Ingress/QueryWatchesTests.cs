using System.Collections.Concurrent;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>How often an app is asked for what is watched, and what ends a watch.</summary>
public sealed class QueryWatchesTests
{
    private static readonly MethodShape s_priceOf = new(6, "PriceOf", true, true, [], null);
    private readonly NotedClock _clock = new();
    private ulong _record;

    [Theory]
    [InlineData(1, 100)]
    [InlineData(50, 100)]
    [InlineData(200, 400)]
    public async Task All_watches_together_ask_no_more_than_five_hundred_times_a_second(int count, int pause)
    {
        var limits = IngressLimits.Product with { WatchesOfOne = count };
        using var watches = new QueryWatches(AnswerAsync, static _ => true, limits, _clock);
        WatchPlace[] places = new WatchPlace[count];
        for (int each = 0; each < count; each++)
        {
            places[each] = watches.Enter("one", s_priceOf, BitConverter.GetBytes(each));
        }

        _clock.Pauses.Clear(); // Of those that began before all were there.
        await Within.Until(() => _clock.Pauses.Count >= 3 * count);
        Assert.All(_clock.Pauses.TakeLast(count), each => Assert.Equal(TimeSpan.FromMilliseconds(pause), each));
        Array.ForEach(places, static each => each.Dispose());
    }

    [Fact]
    public void Streams_are_counted()
    {
        int count = 0;
        using var watches = new QueryWatches(AnswerAsync, static _ => true, IngressLimits.Product, _clock)
        {
            Counted = one => count += one,
        };
        WatchPlace first = watches.Enter("one", s_priceOf, []);
        WatchPlace second = watches.Enter("two", s_priceOf, []);
        Assert.Equal(2, count);
        first.Dispose();
        second.Dispose();
        Assert.Equal(0, count);
    }

    [Fact] // What was asked for was executed, though a record without messages is no answer's number.
    public async Task An_app_where_nothing_happens_is_not_asked_again()
    {
        int asked = 0;
        var never = new TaskCompletionSource<(IngressOutcome, ulong)>();
        using var watches = new QueryWatches(
            (method, _, atLeast, _, stop) => Interlocked.Increment(ref asked) > 0 && atLeast > 2 ? never.Task.WaitAsync(stop)
                : Task.FromResult((IngressOutcome.Of(new OutsideReply(OutsideReplyKind.Answer), method), 1ul)),
            static _ => true, IngressLimits.Product, _clock);
        using WatchPlace place = watches.Enter("one", s_priceOf, []);
        Assert.Equal(1ul, (await place.FirstAsync(2, TimeSpan.FromSeconds(30), TimeProvider.System, default)).Record);
        await Task.Delay(100);
        Assert.Equal(3, asked);
    }

    [Fact] // Who joined it would wait for ever.
    public async Task A_watch_that_fails_in_a_way_that_nobody_expects_has_ended()
    {
        var failed = new TaskCompletionSource<string>();
        using var watches = new QueryWatches(FailAsync, static _ => true, IngressLimits.Product, TimeProvider.System)
        {
            Failed = (query, error) => failed.SetResult($"{query}: {error.GetType().Name}"),
        };
        using WatchPlace place = watches.Enter("one", s_priceOf, []);
        await Assert.ThrowsAsync<ProblemException>(() => place.FirstAsync(0, TimeSpan.FromSeconds(10), TimeProvider.System, default));
        Assert.Equal("PriceOf: FormatException", await failed.Task.OrFail());
    }

    private static async Task<(IngressOutcome Outcome, ulong Record)> FailAsync(
        MethodShape method, byte[] arguments, ulong atLeast, TimeSpan wait, CancellationToken stop)
    {
        await Task.Yield();
        throw new FormatException();
    }

    private Task<(IngressOutcome Outcome, ulong Record)> AnswerAsync(
        MethodShape method, byte[] arguments, ulong atLeast, TimeSpan wait, CancellationToken stop) =>
        Task.FromResult((IngressOutcome.Of(new OutsideReply(OutsideReplyKind.Answer), method), Interlocked.Increment(ref _record)));

    // Notes how long somebody wants to wait, and lets nobody wait.
    private sealed class NotedClock : TimeProvider
    {
        public ConcurrentQueue<TimeSpan> Pauses { get; } = [];

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            Pauses.Enqueue(dueTime);
            return base.CreateTimer(callback, state, TimeSpan.FromMilliseconds(1), period);
        }
    }
}
