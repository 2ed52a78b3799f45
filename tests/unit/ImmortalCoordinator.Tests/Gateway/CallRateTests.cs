using Ambrosia.CoordinatorHost.Gateway;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>How often a caller may come.</summary>
public sealed class CallRateTests
{
    [Fact]
    public void Each_caller_has_a_rate_of_its_own_and_is_told_when_to_come_again()
    {
        var clock = new LeapingClock();
        var rate = new CallRate(2, clock);
        Assert.True(rate.TryTake("alice", out _) && rate.TryTake("alice", out _));
        Assert.False(rate.TryTake("alice", out TimeSpan wait));
        Assert.Equal(0.5, wait.TotalSeconds, 3);
        Assert.True(rate.TryTake("bob", out _));
        clock.CreateTimer(static _ => { }, null, wait, Timeout.InfiniteTimeSpan);
        Assert.True(rate.TryTake("alice", out _));
        Assert.False(rate.TryTake("alice", out _));
    }

    [Fact]
    public void Without_a_rate_anybody_may_come_as_often_as_it_likes()
    {
        var rate = new CallRate(0, TimeProvider.System);
        Assert.All(Enumerable.Range(0, 10_000), _ => Assert.True(rate.TryTake("alice", out TimeSpan _)));
    }
}
