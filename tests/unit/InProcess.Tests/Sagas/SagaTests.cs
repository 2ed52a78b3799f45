using Ambrosia.Testing;

namespace Ambrosia.InProcess.Tests.Sagas;

/// <summary>Sagas in the test host: a real coordinator, virtual time (docs/internals/routines.md#sagas).</summary>
public sealed class SagaTests
{
    private static readonly string[] s_all = ["reserve", "pack", "undo pack", "undo reserve"];
    private readonly FakeTill _till = new();

    [Fact]
    public async Task What_has_succeeded_is_taken_back_the_newest_first()
    {
        await using var world = Start();
        Assert.Equal("taken back", await world.Call("desk", (DeskProxy d) => d.OrderAsync(0)));
        Assert.Equal(s_all, Seen(world));
        Assert.Equal(["charge", "refund"], _till.Log.Select(static each => each.What));
        Assert.Equal(["sold out, 0 left"], world.State<Desk>("desk").Seen);
    }

    [Theory]
    [InlineData(Killed.Process)]
    [InlineData(Killed.App)]
    [InlineData(Killed.Coordinator)]
    [InlineData(Killed.Host)]
    public async Task Each_compensation_counts_once_whatever_dies_at_whichever_step(Killed what)
    {
        bool more = true;
        int step = 0;
        for (; more; step += Extent.Of(everyday: 19, full: 7, soak: 1))
        {
            _till.Log.Clear();
            await using var world = Start(new ImmortalTestOptions { Seed = step });
            TestCall<string> order = world.Call("desk", (DeskProxy d) => d.OrderAsync(0));
            more = await world.StepAsync(step) == step;
            if (step % 2 == 0 && more)
            {
                await world.CheckpointAsync("desk");
            }

            await world.KillAsync(step % 3 == 0 ? "store" : "desk", what);
            Assert.Equal("taken back", await order);
            await world.IdleAsync();
            Assert.Equal(s_all, Seen(world));
            Assert.Equal(["charge", "refund"], _till.Log.DistinctBy(static each => each.Id).Select(static each => each.What));
        }

        Assert.True(step > 100, $"only {step} steps");
    }

    [Fact]
    public async Task A_compensation_that_fails_is_tried_for_ever_with_growing_pauses_and_survives_a_checkpoint_in_one()
    {
        await using var world = Start(new ImmortalTestOptions { Patience = TimeSpan.FromHours(2) });
        await world.Call("store", (StoreProxy s) => s.RefuseAsync(12));
        DateTimeOffset begun = world.Now;
        TestCall<string> order = world.Call("desk", (DeskProxy d) => d.OrderAsync(0));
        await world.AdvanceAsync(TimeSpan.FromSeconds(20)); // In a pause.
        await world.CheckpointAsync("desk");
        await world.KillAsync("desk", Killed.Host);
        Assert.Equal("taken back", await order);
        Assert.Equal(["reserve", "pack", .. Enumerable.Repeat("no pack", 12), "undo pack", "undo reserve"], Seen(world));
        Assert.InRange(world.Now - begun, TimeSpan.FromSeconds(511 + (3 * 300)), TimeSpan.FromSeconds(511 + (3 * 300) + 30));
    }

    [Fact]
    public async Task With_a_limit_the_others_still_run_and_the_await_says_what_is_left_to_do_by_hand()
    {
        await using var world = Start();
        _till.Refusals = 2;
        Assert.Equal("by hand", await world.Call("desk", (DeskProxy d) => d.OrderAsync(2)));
        Assert.Equal(s_all, Seen(world));
        Assert.Equal("Saga 'order 1': 1 of its compensations failed 2 times and were given up, all others have run. Take back by hand: "
            + "Ambrosia.InProcess.Tests.Sagas.ITill.Refund (InvalidOperationException: no such charge)", world.State<Desk>("desk").Seen[0]);
    }

    [Fact]
    public async Task An_upgrade_in_the_middle_of_a_compensation_goes_on_with_it()
    {
        await using var world = Start(new ImmortalTestOptions { Patience = TimeSpan.FromHours(2) });
        await world.Call("store", (StoreProxy s) => s.RefuseAsync(5));
        TestCall<string> order = world.Call("desk", (DeskProxy d) => d.OrderAsync(0));
        await world.AdvanceAsync(TimeSpan.FromSeconds(10));
        await world.UpgradeAsync<NextDesk>("desk", options => options.UseEffects<ITill>(_ => _till)
            .UpgradeFrom<Desk, NextDesk>(static old => new NextDesk(old)));
        Assert.Equal("taken back", await order);
        Assert.Equal(["sold out, 0 left"], world.State<NextDesk>("desk").Seen);
        Assert.Equal(["charge", "refund"], _till.Log.Select(static each => each.What));
    }

    [Theory]
    [InlineData("nothing", "nothing to do")]
    [InlineData("again", "once")]
    [InlineData("late", "InvalidOperationException: Saga 's' compensates already: nothing can be added to it.")]
    [InlineData("awaited", "InvalidOperationException: Saga 's' takes down one call to run later")]
    [InlineData("awaited effect", "InvalidOperationException: Saga 's' takes down one call to run later")]
    [InlineData("twice", "InvalidOperationException: Saga 's' takes down one call to run later")]
    [InlineData("name", "ArgumentException: ")]
    [InlineData("attempts", "ArgumentOutOfRangeException: A number of attempts, or 0 for no limit.")]
    public async Task A_wrong_use_is_answered_with_what_and_what_to_do(string how, string expected)
    {
        await using var world = Start();
        Assert.StartsWith(expected, await world.Call("desk", (DeskProxy d) => d.MisuseAsync(how)), StringComparison.Ordinal);
        Assert.Equal(how is "again" or "late" ? ["undo a"] : [], Seen(world));
        Assert.Empty(_till.Log);
    }

    [Theory] // A checkpoint cannot keep what takes the call down: the effect would be performed at once.
    [InlineData("later", false)]
    [InlineData("later effect", false)]
    [InlineData("later effect", true)]
    [InlineData("later effect awaited", false)]
    [InlineData("later effect awaited", true)]
    public async Task A_call_that_is_not_taken_down_in_its_own_turn_is_refused_and_not_made(string how, bool isRestored)
    {
        await using var world = Start();
        TestCall<string> call = world.Call("desk", (DeskProxy d) => d.MisuseAsync(how));
        await world.AdvanceAsync(TimeSpan.FromSeconds(30));
        if (isRestored)
        {
            await world.CheckpointAsync("desk");
            await world.KillAsync("desk", Killed.Host);
        }

        Assert.Equal("InvalidOperationException: Saga 's' takes down one call to run later: write Undo(...).NameFork(...) in "
            + "one expression.",
            await call);
        await world.IdleAsync();
        Assert.Empty(Seen(world));
        Assert.Empty(_till.Log);
    }

    private static List<string> Seen(ImmortalTestHost world) => world.State<Store>("store").Seen;

    private ImmortalTestHost Start(ImmortalTestOptions? options = null) =>
        ImmortalTestHost.Start<Desk>("desk", options, o => o.UseEffects<ITill>(_ => _till)).Add<Store>("store");
}
