using Ambrosia.Testing;

namespace Ambrosia.InProcess.Tests.Outside;

/// <summary>Awakeables in a test's world: what a user's own tests can do with them.</summary>
public sealed class AwakeableWorldTests
{
    private static readonly Decision s_yes = new(true, 12.5m), s_no = new(false, 0);

    [Theory]
    [InlineData(Killed.App)]
    [InlineData(Killed.Coordinator)]
    [InlineData(Killed.Process)]
    public async Task It_is_completed_once_whatever_is_killed(Killed what)
    {
        await using ImmortalTestHost world = ImmortalTestHost.Start<Clerk>("clerk");
        string url = await world.Call("clerk", (ClerkProxy clerk) => clerk.AskAsync("it", 0));
        Assert.StartsWith("http://clerk.test/v1/awakeables/", url, StringComparison.Ordinal);
        await world.KillAsync("clerk", what);
        TestCall<bool> first = world.Complete(url, s_yes);
        await world.StepAsync(40);
        await world.KillAsync("clerk", what);
        Assert.True(await first);
        Assert.True(await world.Complete(url, s_yes));
        Assert.False(await world.Complete(url, s_no));
        Assert.False(await world.Reject(url, "late"));
        string[] outcomes = await world.Call("clerk", (ClerkProxy clerk) => clerk.OutcomesAsync());
        Assert.Equal(["it: True 12.5 Red  False"], outcomes);
    }

    [Fact]
    public async Task It_is_open_over_checkpoints_and_ends_at_its_deadline()
    {
        await using ImmortalTestHost world = ImmortalTestHost.Start<Clerk>("clerk");
        string late = await world.Call("clerk", (ClerkProxy clerk) => clerk.AskAsync("late", 3600));
        string rejected = await world.Call("clerk", (ClerkProxy clerk) => clerk.AskAsync("rejected", 0));
        await world.CheckpointAsync("clerk");
        await world.KillAsync("clerk");
        await world.AdvanceAsync(TimeSpan.FromHours(2));
        Assert.False(await world.Complete(late, s_yes));
        await world.CheckpointAsync("clerk");
        await world.KillAsync("clerk");
        Assert.True(await world.Reject(rejected, "no"));
        string[] outcomes = await world.Call("clerk", (ClerkProxy clerk) => clerk.OutcomesAsync());
        Assert.Equal(
            ["late: AwakeableExpiredException Nobody completed the awakeable before its deadline.",
                "rejected: AwakeableRejectedException no"],
            outcomes);
        await Assert.ThrowsAsync<ImmortalTestException>(async () => await world.Complete("http://clerk.test/v1/awakeables/AAAA", s_yes));
        await Assert.ThrowsAsync<ImmortalTestException>(async () =>
            await world.Complete(rejected.Replace("awakeables/A", "awakeables/B", StringComparison.Ordinal), s_yes));
    }
}
