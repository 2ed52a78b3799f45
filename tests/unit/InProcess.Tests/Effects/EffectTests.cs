using Ambrosia.Primitives;
using Ambrosia.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.InProcess.Tests.Effects;

/// <summary>Effects on the outside, as docs/guide/effects.md promises them (E1 to E18), in a world under virtual time.</summary>
public sealed class EffectTests
{
    private readonly FakePayments _payments = new();

    [Fact]
    public async Task The_outcome_of_an_effect_comes_back_to_the_handler_that_awaits_it()
    {
        await using var world = Start();
        Assert.Equal("5 by tea", await world.Call("shop", (ShopProxy s) => s.OrderAsync("tea", 5)));
        await world.IdleAsync();
        Assert.Equal(["tea paid 5 by tea"], world.State<Shop>("shop").Seen);
        EffectContext context = Assert.Single(_payments.Contexts);
        Assert.Matches("^[0-9a-f-]{36}/[0-9]+:[0-9]+:0$", context.Id);
        Assert.Equal(1, context.Attempt);
    }

    [Fact]
    public async Task A_one_way_effect_is_performed_once_more_after_each_loss_and_under_one_id()
    {
        await using var world = Start();
        world.Fail("shop", EffectFault.KillProcess);
        world.Fail("shop", EffectFault.LoseOutcome);
        world.Fail("shop", EffectFault.Throw);
        world.Fail("shop", EffectFault.Hang);
        world.Fail("shop", EffectFault.Repeat);
        await world.Call("shop", (ShopProxy s) => s.ThankAsync("ann"));
        await world.AdvanceAsync(TimeSpan.FromMinutes(2));
        await world.IdleAsync();
        Assert.Equal(["mail ann Thank you", "mail ann Thank you", "mail ann Thank you"], _payments.Log); // Lost, then repeated.
        Assert.Single(_payments.Ids.Distinct());
    }

    [Theory]
    [InlineData(Killed.Process)]
    [InlineData(Killed.App)]
    [InlineData(Killed.Coordinator)]
    [InlineData(Killed.Host)]
    public async Task Every_order_is_paid_under_one_id_and_answered_once_whatever_dies_at_whichever_step(Killed what)
    {
        int paidTwice = 0;
        bool more = true;
        for (int step = 0; more; step += Extent.Of(everyday: 5, full: 1, soak: 1))
        {
            var payments = new FakePayments { OnCharge = static effect => Task.Delay(TimeSpan.FromMilliseconds(1), effect.Time) };
            await using var world =
                ImmortalTestHost.Start<Shop>("shop", new ImmortalTestOptions { Seed = step }, o => o.UseEffects<IPayments>(_ => payments));
            await world.IdleAsync();
            TestCall<string> order = world.Call("shop", (ShopProxy s) => s.OrderAsync("tea", 5));
            more = await world.StepAsync(step) == step;
            await world.AdvanceAsync(more ? TimeSpan.Zero : TimeSpan.FromMilliseconds(1));
            await world.KillAsync("shop", what);
            Assert.Equal("5 by tea", await order);
            await world.IdleAsync();
            Assert.Single(payments.Ids.Distinct());
            Assert.Equal(["tea paid 5 by tea"], world.State<Shop>("shop").Seen);
            paidTwice += payments.Ids.Count > 1 ? 1 : 0;
        }

        Assert.True(paidTwice > 0
            || what == Killed.Coordinator, "No kill came between the effect and its outcome in the log: the test has lost its point.");
    }

    [Fact]
    public async Task What_is_pending_survives_a_checkpoint_and_is_performed_after_it()
    {
        _payments.OnCharge = static effect =>
            effect.Epoch == 1 ? Task.Delay(TimeSpan.FromHours(1), effect.Time, effect.Cancellation) : Task.CompletedTask;
        await using var world = Start();
        TestCall<string> order = world.Call("shop", (ShopProxy s) => s.OrderAsync("tea", 5));
        await world.AdvanceAsync(TimeSpan.FromSeconds(1));
        await world.CheckpointAsync("shop");
        await world.KillAsync("shop");
        Assert.Equal("5 by tea", await order);
        Assert.True(_payments.Ids.Count >= 2);
        Assert.Single(_payments.Ids.Distinct());
    }

    [Fact]
    public async Task A_failure_that_does_not_pass_is_the_outcome_and_is_thrown_in_the_handler()
    {
        _payments.OnCharge = static _ => throw new InvalidOperationException("card refused");
        await using var world = Start();
        var error = await Assert.ThrowsAsync<InvalidOperationException>(async () =>
            await world.Call("shop", (ShopProxy s) => s.OrderAsync("tea", 5)));
        Assert.Equal("card refused", error.Message);
        await world.IdleAsync();
        Assert.Equal(["tea: InvalidOperationException"], world.State<Shop>("shop").Seen);
        Assert.Single(_payments.Ids);
    }

    [Fact]
    public async Task A_failure_that_may_pass_is_tried_again_with_growing_pauses()
    {
        List<DateTimeOffset> tries = [];
        _payments.OnCharge = effect =>
        {
            tries.Add(effect.Time.GetUtcNow());
            return effect.Attempt < 9 ? throw new HttpRequestException("busy") : Task.CompletedTask;
        };
        await using var world = Start();
        TestCall<string> order = world.Call("shop", (ShopProxy s) => s.OrderAsync("tea", 5));
        await world.AdvanceAsync(TimeSpan.FromMinutes(10));
        Assert.Equal("5 by tea", await order);
        double[] pauses = [.. tries.Zip(tries.Skip(1), static (a, b) => (b - a).TotalSeconds)];
        Assert.All(pauses.Zip([1, 2, 4, 8, 16, 32, 60, 60]), static pause =>
            Assert.InRange(pause.First, 0.8 * pause.Second, 1.2 * pause.Second));
    }

    [Fact]
    public async Task An_effect_that_is_not_done_within_its_time_ends_with_a_timeout_of_which_its_log_tells()
    {
        _payments.OnCharge = static _ => throw new HttpRequestException("down");
        await using var world = Start();
        await world.Call("shop", (ShopProxy s) => s.ThankAsync("ann"));
        await world.AdvanceAsync(TimeSpan.FromDays(2));
        int before = _payments.Ids.Count;
        await world.KillAsync("shop");
        await world.AdvanceAsync(TimeSpan.FromDays(2));
        Assert.InRange(_payments.Ids.Count - before, 24 * 60, 2 * 24 * 60); // One day was left of three.
        int after = _payments.Ids.Count;
        await world.AdvanceAsync(TimeSpan.FromDays(1));
        Assert.Equal(after, _payments.Ids.Count);
    }

    [Fact]
    public async Task A_wait_that_gives_up_leaves_the_effect_pending()
    {
        _payments.OnCharge = static effect => Task.Delay(TimeSpan.FromSeconds(20), effect.Time);
        await using var world = Start();
        TestCall<string> order = world.Call("shop", (ShopProxy s) => s.OrderWithinAsync("tea", 5));
        await world.AdvanceAsync(TimeSpan.FromMinutes(1));
        Assert.Equal("late", await order);
        Assert.Equal(["charge tea 1", "mail tea Later"], _payments.Log);
    }

    [Fact]
    public async Task A_cancelled_effect_is_no_longer_pending_and_its_attempt_is_cancelled()
    {
        bool cancelled = false;
        _payments.OnCharge = async effect =>
        {
            try
            {
                await Task.Delay(TimeSpan.FromSeconds(20), effect.Time, effect.Cancellation);
            }
            catch (OperationCanceledException)
            {
                cancelled = true;
                throw;
            }
        };
        await using var world = Start();
        TestCall begun = world.Call("shop", (ShopProxy s) => s.BeginAsync("ann"));
        await world.AdvanceAsync(TimeSpan.FromSeconds(1));
        await world.CheckpointAsync("shop"); // The cancellation and the effect that hangs on it are in it.
        await world.KillAsync("shop");
        await world.AdvanceAsync(TimeSpan.FromSeconds(1));
        await world.Call("shop", (ShopProxy s) => s.CancelAsync("ann"));
        await begun;
        await world.AdvanceAsync(TimeSpan.FromMinutes(1));
        Assert.Equal(["ann cancelled"], world.State<Shop>("shop").Seen);
        Assert.True(cancelled);
        int tries = _payments.Ids.Count;
        await world.KillAsync("shop");
        await world.IdleAsync();
        await world.AdvanceAsync(TimeSpan.FromMinutes(1));
        Assert.Equal(tries, _payments.Ids.Count);
        Assert.Equal(["ann cancelled"], world.State<Shop>("shop").Seen);
    }

    [Fact]
    public async Task A_result_that_is_too_large_is_told_as_such_and_the_effect_is_not_repeated()
    {
        await using var world = Start();
        var error = await Assert.ThrowsAnyAsync<Exception>(async () => await world.Call("shop", (ShopProxy s) => s.LargeAsync(200 << 20)));
        Assert.Contains("was performed, but its result", error.Message, StringComparison.Ordinal);
        Assert.IsType<EffectResultException>(error);
        Assert.Single(_payments.Ids);
    }

    [Fact]
    public async Task No_more_are_pending_than_the_interface_allows()
    {
        _payments.OnCharge = static effect => Task.Delay(TimeSpan.FromSeconds(20), effect.Time);
        await using var world = Start();
        Assert.Equal(8, await world.Call("shop", (ShopProxy s) => s.ManyAsync(10)));
        await world.KillAsync("shop");
        await world.AdvanceAsync(TimeSpan.FromMinutes(1));
        Assert.Equal(8, await world.Call("shop", (ShopProxy s) => s.ManyAsync(10)));
        await world.AdvanceAsync(TimeSpan.FromMinutes(1));
        Assert.Equal(["full after 8", "full after 8"], world.State<Shop>("shop").Seen);
        Assert.Equal(16, _payments.Ids.Distinct().Count());
    }

    [Fact]
    public async Task Effects_that_go_one_at_a_time_begin_after_the_outcome_of_the_one_before()
    {
        await using var world = Start();
        TestCall steps = world.Call("shop", (ShopProxy s) => s.StepsAsync(3));
        await world.AdvanceAsync(TimeSpan.FromMinutes(1));
        await steps;
        Assert.Equal(["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"], _payments.Log);
        Assert.Equal(["step 0", "step 1", "step 2"], world.State<Shop>("shop").Seen);
    }

    [Fact]
    public async Task Effects_go_on_in_the_next_version_of_the_immortal()
    {
        _payments.OnCharge = static effect => effect.Time.GetUtcNow().Hour == 0 ? throw new IOException("not yet") : Task.CompletedTask;
        await using var world = Start();
        TestCall<string> order = world.Call("shop", (ShopProxy s) => s.OrderAsync("tea", 5));
        await world.AdvanceAsync(TimeSpan.FromSeconds(5));
        await world.UpgradeAsync<Shop>("shop", o => o.UseEffects<IPayments>(_ => _payments));
        await world.AdvanceAsync(TimeSpan.FromHours(1));
        Assert.Equal("5 by tea", await order);
        Assert.Single(_payments.Ids.Distinct());
    }

    [Fact]
    public async Task Without_a_class_that_performs_them_effects_stay_pending()
    {
        await using var world = ImmortalTestHost.Start<Shop>("shop");
        await world.Call("shop", (ShopProxy s) => s.ThankAsync("ann"));
        await world.AdvanceAsync(TimeSpan.FromHours(1));
        await world.UpgradeAsync<Shop>("shop", o => o.UseEffects<IPayments>(_ => _payments));
        await world.AdvanceAsync(TimeSpan.FromMinutes(2));
        Assert.Equal(["mail ann Thank you"], _payments.Log);
    }

    [Fact] // E12
    public async Task An_attempt_that_took_too_long_is_tried_again_whatever_it_throws_when_it_is_told_so()
    {
        _payments.OnCharge = static async effect =>
        {
            try
            {
                await Task.Delay(effect.Attempt == 1 ? Timeout.InfiniteTimeSpan : TimeSpan.Zero, effect.Time, effect.Cancellation);
            }
            catch (OperationCanceledException)
            {
                throw new InvalidOperationException("the card reader was interrupted");
            }
        };
        await using var world = Start();
        TestCall<string> order = world.Call("shop", (ShopProxy s) => s.OrderAsync("tea", 5));
        await world.AdvanceAsync(TimeSpan.FromMinutes(1));
        Assert.Equal("5 by tea", await order);
        Assert.Equal(2, _payments.Ids.Count);
    }

    [Fact] // E16
    public async Task A_declared_exception_of_an_effect_is_its_outcome_and_reaches_the_await_with_its_data()
    {
        _payments.OnCharge = static _ => throw new CardRefusedException("no such card", 2);
        await using var world = Start();
        Assert.Equal("refused", await world.Call("shop", (ShopProxy s) => s.OrderAsync("tea", 5)));
        await world.IdleAsync();
        Assert.Equal(["tea: no such card, 2 tries left"], world.State<Shop>("shop").Seen);
        await world.KillAsync("shop");
        await world.IdleAsync();
        Assert.Equal(["tea: no such card, 2 tries left"], world.State<Shop>("shop").Seen);
        Assert.Single(_payments.Ids);
    }

    [Fact]
    public async Task An_effect_that_is_cancelled_before_its_turn_comes_is_not_begun()
    {
        _payments.OnCharge = static effect => Task.Delay(TimeSpan.FromSeconds(20), effect.Time);
        await using var world = ImmortalTestHost.Start<Shop>(
            "shop", null, o => { o.EffectsAtOnce = 1; o.UseEffects<IPayments>(_ => _payments); });
        await world.Call("shop", (ShopProxy s) => s.ThankAsync("bob"));
        TestCall begun = world.Call("shop", (ShopProxy s) => s.BeginAsync("ann"));
        await world.AdvanceAsync(TimeSpan.FromSeconds(1));
        await world.Call("shop", (ShopProxy s) => s.CancelAsync("ann"));
        await begun;
        await world.AdvanceAsync(TimeSpan.FromMinutes(1));
        Assert.Equal(["mail bob Thank you"], _payments.Log);
        Assert.Equal(["ann cancelled"], world.State<Shop>("shop").Seen);
    }

    [Fact] // E10
    public async Task A_service_that_can_only_be_disposed_of_asynchronously_lives_as_long_as_its_attempt()
    {
        List<ScopedPayments> made = [];
        await using ServiceProvider services = new ServiceCollection().AddScoped<IPayments>(_ =>
        {
            var payments = new ScopedPayments();
            made.Add(payments);
            return payments;
        }).BuildServiceProvider();
        await using var world = ImmortalTestHost.Start<Shop>("shop", new ImmortalTestOptions { Services = services });
        TestCall<string> order = world.Call("shop", (ShopProxy s) => s.OrderAsync("tea", 5));
        await world.AdvanceAsync(TimeSpan.FromMinutes(1));
        Assert.Equal("5 by tea", await order);
        Assert.Equal(2, made.Count); // The first attempt failed.
        Assert.All(made, static each => Assert.Equal((1, false), (each.Disposed, each.WasUsedAfterwards)));
    }

    private ImmortalTestHost Start() => ImmortalTestHost.Start<Shop>("shop", null, o => o.UseEffects<IPayments>(_ => _payments));
}
