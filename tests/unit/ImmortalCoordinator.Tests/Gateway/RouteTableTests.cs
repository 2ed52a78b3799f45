using Ambrosia.CoordinatorHost.Gateway;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>How often a gateway asks where an instance is.</summary>
public sealed class RouteTableTests
{
    private readonly SetClock _clock = new();
    private int _looks;

    [Fact]
    public async Task A_name_is_looked_up_once_for_all_who_wait_for_it()
    {
        var found = new TaskCompletionSource<Route?>(TaskCreationOptions.RunContinuationsAsynchronously);
        using RouteTable table = Make((_, _) => found.Task);
        Task<Route?>[] all = [.. Enumerable.Range(0, 100).Select(_ => table.FindAsync("shop", null, default))];
        found.SetResult(To("a"));
        Route?[] routes = await Task.WhenAll(all);
        Assert.Single(routes.Distinct());
        Assert.Equal(1, _looks);
    }

    [Fact]
    public async Task A_route_that_has_failed_is_looked_up_again_and_not_more_often_than_it_may()
    {
        using RouteTable table = Make((_, _) => Task.FromResult<Route?>(To("a")));
        Route? first = await table.FindAsync("shop", null, default);
        Assert.Same(first, await table.FindAsync("shop", null, default));
        Assert.Same(first, await table.FindAsync("shop", first, default)); // A moment after the look-up.
        _clock.Passed += TimeSpan.FromMilliseconds(150);
        Route? second = await table.FindAsync("shop", first, default);
        Assert.NotSame(first, second);
        Assert.Same(second, await table.FindAsync("shop", first, default)); // Others had the same first one.
        Assert.Equal(2, _looks);
    }

    [Fact]
    public async Task A_call_that_does_not_go_on_leaves_its_doubt_to_the_next()
    {
        using RouteTable table = Make((_, _) => Task.FromResult<Route?>(To("a")));
        Route? first = await table.FindAsync("shop", null, default);
        table.Doubt("shop", To("a")); // Of another look-up.
        _clock.Passed += TimeSpan.FromSeconds(1);
        Assert.Same(first, await table.FindAsync("shop", null, default));
        table.Doubt("shop", first!);
        Assert.NotSame(first, await table.FindAsync("shop", null, default));
        _clock.Passed += TimeSpan.FromSeconds(1);
        await table.FindAsync("shop", null, default);
        Assert.Equal(2, _looks);
    }

    [Fact]
    public async Task A_name_that_was_not_there_is_looked_up_again_by_the_next_who_asks()
    {
        using RouteTable table = Make((_, _) => Task.FromResult(_looks > 1 ? To("a") : null));
        Assert.Null(await table.FindAsync("shop", null, default));
        Assert.Null(await table.FindAsync("shop", null, default));
        _clock.Passed += TimeSpan.FromMilliseconds(150);
        Assert.NotNull(await table.FindAsync("shop", null, default));
    }

    [Fact]
    public async Task A_catalog_that_fails_leaves_what_it_said_before()
    {
        using RouteTable table = Make((_, _) => _looks == 2 ? throw new IOException("away") : Task.FromResult<Route?>(To("a")));
        Route? first = await table.FindAsync("shop", null, default);
        _clock.Passed += TimeSpan.FromSeconds(1);
        Route? second = await table.FindAsync("shop", first, default);
        Assert.Equal((first!.Address, "a"), (second!.Address, second.InstanceId));
        _clock.Passed += TimeSpan.FromSeconds(1);
        await table.FindAsync("shop", second, default);
        Assert.Equal(3, _looks);
    }

    [Fact]
    public async Task Names_that_are_not_there_take_no_more_room_than_they_may()
    {
        using RouteTable table = Make((name, _) => Task.FromResult(name == "shop" ? To("a") : null), new RouteLimits { Names = 10 });
        Route? shop = await table.FindAsync("shop", null, default);
        for (int i = 0; i < 1000; i++)
        {
            Assert.Null(await table.FindAsync($"no-{i}", null, default));
            Assert.InRange(table.Count, 1, 10);
        }

        Assert.Same(shop, await table.FindAsync("shop", null, default)); // They have not driven it out.
    }

    private static Route To(string id) => new(new Uri("http://10.0.0.1:1"), id);

    private RouteTable Make(Func<string, CancellationToken, Task<Route?>> look, RouteLimits? limits = null) => new(
        (name, stop) =>
        {
            Interlocked.Increment(ref _looks);
            return look(name, stop);
        }, _clock, limits ?? new RouteLimits());

    private sealed class SetClock : TimeProvider
    {
        public TimeSpan Passed { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Passed.Ticks;
    }
}
