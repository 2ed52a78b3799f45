using Ambrosia.Testing;

namespace Ambrosia.InProcess.Tests;

public sealed class ImmortalTestHostTests
{
    private static readonly TimeSpan s_month = TimeSpan.FromDays(30);

    [Fact]
    public async Task A_test_calls_an_immortal_and_looks_at_its_state()
    {
        await using var world = Start();
        Assert.Equal(5, await world.Call<BankProxy, decimal>("bank", b => b.DepositAsync("a", 5)));
        Assert.Equal(7, await world.Call("bank", (BankProxy b) => b.DepositAsync("a", 2)));
        await world.IdleAsync();
        Assert.Equal(["a +5 5", "a +2 7"], world.State<Auditor>("auditor").Seen);
    }

    [Theory]
    [InlineData(Killed.Process)]
    [InlineData(Killed.App)]
    [InlineData(Killed.Coordinator)]
    [InlineData(Killed.Host)]
    public async Task What_was_answered_survives_every_kind_of_death(Killed what)
    {
        await using var world = Start();
        await world.Call("bank", (BankProxy b) => b.DepositAsync("a", 5));
        await world.IdleAsync();
        Bank before = world.State<Bank>("bank");
        await world.KillAsync("bank", what);
        Assert.Equal(6, await world.Call("bank", (BankProxy b) => b.DepositAsync("a", 1)));
        await world.IdleAsync();
        Assert.NotSame(before, world.State<Bank>("bank"));
        Assert.Equal(["a +5 5", "a +1 6"], world.State<Auditor>("auditor").Seen);
    }

    [Theory]
    [InlineData(Killed.Process)]
    [InlineData(Killed.App)]
    [InlineData(Killed.Coordinator)]
    [InlineData(Killed.Host)]
    public async Task A_transfer_happens_once_whatever_dies_at_whichever_step_of_it(Killed what)
    {
        int kills = 0;
        int stride = Extent.Of(everyday: 5, full: 1, soak: 1);
        bool more = true;
        for (int step = 0; more; step += stride)
        {
            await using var world = Start(new ImmortalTestOptions { Seed = step });
            await world.Call("bank", (BankProxy b) => b.DepositAsync("a", 10));
            await world.IdleAsync();
            TestCall<decimal> transfer = world.Call("bank", (BankProxy b) => b.TransferAsync("a", "other", "b", 3));
            more = await world.StepAsync(step) == step; // Behind the last step of the transfer there is none left to kill at.
            await world.KillAsync(step % 3 == 0 ? "other" : "bank", what);
            kills++;
            Assert.Equal(7, await transfer);
            await world.IdleAsync();
            Assert.Equal(["a +10 10", "a -3 7", "b +3 3"], world.State<Auditor>("auditor").Seen);
            Assert.Equal(7, world.State<Bank>("bank").Balance("a").Result);
        }

        Assert.True(kills * stride > 50, $"only {kills} steps");
    }

    [Fact]
    public async Task A_second_death_during_recovery_changes_nothing()
    {
        for (int step = 0; step < 120; step += Extent.Of(everyday: 5, full: 1, soak: 1))
        {
            await using var world = Start(new ImmortalTestOptions { Seed = step });
            TestCall<decimal> transfer = world.Call("bank", (BankProxy b) => b.TransferAsync("a", "other", "b", 3));
            await world.StepAsync(100 + step);
            await world.KillAsync("bank", Killed.Host);
            await world.StepAsync(step);
            await world.KillAsync("bank", step % 2 == 0 ? Killed.Process : Killed.App);
            Assert.Equal(-3, await transfer);
            await world.IdleAsync();
            Assert.Equal(["a -3 -3", "b +3 3"], world.State<Auditor>("auditor").Seen);
        }
    }

    [Fact]
    public async Task A_durable_timer_rings_when_its_time_has_come_and_not_before()
    {
        await using var world = Start();
        TestCall<int> reminder = world.Call("bank", (BankProxy b) => b.RemindAsync("a", s_month));
        await world.AdvanceAsync(s_month - TimeSpan.FromSeconds(1));
        Assert.False(reminder.IsCompleted);
        Assert.Equal(0, world.State<Bank>("bank").Reminders);
        await world.AdvanceAsync(TimeSpan.FromSeconds(2));
        Assert.True(reminder.IsCompleted);
        Assert.Equal(1, await reminder);
    }

    [Theory]
    [InlineData(Killed.Process)]
    [InlineData(Killed.App)]
    [InlineData(Killed.Host)]
    public async Task A_timer_survives_its_process_and_rings_once_though_it_came_due_while_nobody_ran(Killed what)
    {
        await using var world = Start();
        TestCall<int> reminder = world.Call("bank", (BankProxy b) => b.RemindAsync("a", s_month));
        await world.IdleAsync();
        await world.CheckpointAsync("bank");
        await world.KillAsync("bank", what, restart: false);
        await world.AdvanceAsync(2 * s_month);
        Assert.False(reminder.IsCompleted);
        await world.StartAsync("bank");
        Assert.Equal(1, await reminder);
        await world.AdvanceAsync(2 * s_month);
        Assert.Equal(1, world.State<Bank>("bank").Reminders);
    }

    [Fact]
    public async Task An_await_goes_on_from_a_checkpoint()
    {
        await using var world = Start();
        await world.KillAsync("other", restart: false);
        TestCall<decimal> transfer = world.Call("bank", (BankProxy b) => b.TransferAsync("a", "other", "b", 3));
        await world.AdvanceAsync(TimeSpan.FromSeconds(5));
        await world.CheckpointAsync("bank");
        await world.KillAsync("bank");
        await world.AdvanceAsync(TimeSpan.FromSeconds(5));
        Assert.False(transfer.IsCompleted);
        await world.StartAsync("other");
        Assert.Equal(-3, await transfer);
    }

    [Fact]
    public async Task The_same_seed_gives_the_same_run_and_another_seed_another()
    {
        (long, string)[] runs = [await RunAsync(7), await RunAsync(7), await RunAsync(8)];
        Assert.Equal(runs[0], runs[1]);
        Assert.NotEqual(runs[0].Item1, runs[2].Item1);

        static async Task<(long, string)> RunAsync(int seed)
        {
            await using var world = Start(new ImmortalTestOptions { Seed = seed });
            for (int i = 0; i < 5; i++)
            {
                TestCall<decimal> transfer = world.Call("bank", (BankProxy b) => b.TransferAsync("a", "other", "b", 3));
                await world.StepAsync(20 * i);
                await world.KillAsync("other", Killed.App);
                await transfer;
            }

            await world.IdleAsync();
            return (world.Steps, $"{world.Now:O} {string.Join(',', world.State<Auditor>("auditor").Seen)}");
        }
    }

    [Fact]
    public async Task Forks_and_impulses_are_handled_when_the_world_is_at_rest()
    {
        await using var world = Start();
        await world.Fork("auditor", (AuditorProxy a) =>
        {
            a.NoteFork("one");
            a.NoteFork("two");
        });
        await world.Impulse("bank", (BankProxy b) => b.CardSwipedImpulse("a", 4));
        await world.IdleAsync();
        Assert.Equal(["one", "two"], world.State<Auditor>("auditor").Seen);
        Assert.Equal(-4, await world.Call("bank", (BankProxy b) => b.BalanceAsync("a")));
    }

    [Fact]
    public async Task An_exception_of_a_handler_comes_to_the_test()
    {
        await using var world = Start();
        InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(
            () => world.Call("bank", (BankProxy b) => b.RefuseAsync("not today")).AsTask());
        Assert.Contains("not today", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_never_happens_is_said_with_the_state_of_everybody()
    {
        await using var world = Start();
        await world.KillAsync("bank", restart: false);
        ImmortalTestException stuck = await Assert.ThrowsAsync<ImmortalTestException>(
            () => world.Call("bank", (BankProxy b) => b.BalanceAsync("a")).AsTask());
        Assert.Contains("The answer of bank: not within 00:01:00 of virtual time", stuck.Message, StringComparison.Ordinal);
        Assert.Contains("bank: its coordinator is down", stuck.Message, StringComparison.Ordinal);
        Assert.Contains("seed 1", stuck.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Immortals_that_never_rest_are_found_out()
    {
        await using var world = Start(new ImmortalTestOptions { StepLimit = 20_000 });
        await world.Fork("bank", (BankProxy b) => b.PingPongFork("other"));
        ImmortalTestException busy = await Assert.ThrowsAsync<ImmortalTestException>(world.IdleAsync);
        Assert.Contains("Rest: not within 20000 steps", busy.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wrong_names_and_types_are_refused_with_a_sentence()
    {
        await using var world = Start();
        ImmortalTestException unknown =
            await Assert.ThrowsAsync<ImmortalTestException>(() => world.Call("bnak", (BankProxy b) => b.BalanceAsync("a")).AsTask());
        Assert.Contains("There is no immortal 'bnak' in this world; there are: bank, other, auditor", unknown.Message,
            StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => world.Add<Bank>("test-host"));
        await world.KillAsync("bank");
        Assert.Contains("await world.IdleAsync()", Assert.Throws<ImmortalTestException>(() => world.State<Bank>("bank")).Message,
            StringComparison.Ordinal);
        await world.IdleAsync();
        Assert.Contains("is a Bank, not a Auditor", Assert.Throws<ImmortalTestException>(() => world.State<Auditor>("bank")).Message,
            StringComparison.Ordinal);
        world.Add<Bank>("bank");
        Assert.Contains("two immortals 'bank'", (await Assert.ThrowsAsync<ImmortalTestException>(world.IdleAsync)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_handler_that_stops_its_app_stops_the_test_with_its_reason()
    {
        await using var world = ImmortalTestHost.Start<Bank>("bank", configure: o => o.OnFault = FaultPolicy.Stop);
        await world.Fork("bank", (BankProxy b) => b.RefuseFork("no more"));
        ImmortalTestException failed = await Assert.ThrowsAsync<ImmortalTestException>(world.IdleAsync);
        Assert.Contains("The app of bank has failed", failed.Message, StringComparison.Ordinal);
        Assert.Contains("no more", failed.Message, StringComparison.Ordinal);
    }

    private static ImmortalTestHost Start(ImmortalTestOptions? options = null) =>
        ImmortalTestHost.Start<Bank>("bank", options).Add<Bank>("other").Add<Auditor>("auditor");
}
