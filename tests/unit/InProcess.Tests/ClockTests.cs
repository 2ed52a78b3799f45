using Ambrosia.Testing;

namespace Ambrosia.InProcess.Tests;

/// <summary>
/// Wall clocks that are set while an immortal runs, and while it does not. A delay takes its time by the clock that nobody sets
/// (docs/internals/exactly-once.md H10).
/// </summary>
public sealed class ClockTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);
    private static readonly TimeSpan s_day = TimeSpan.FromDays(1);

    [Theory]
    [InlineData(-3600)]
    [InlineData(-365 * 86400)]
    [InlineData(3600)]
    [InlineData(365 * 86400)]
    public async Task A_delay_that_begins_after_the_clock_was_set_takes_its_time(int seconds)
    {
        await using var world = Start();
        await world.Call("bank", (BankProxy b) => b.ClockAsync());
        await world.SetClockAsync("bank", TimeSpan.FromSeconds(seconds));
        await world.AdvanceAsync(TimeSpan.FromMinutes(10)); // Idle: nothing is logged meanwhile.
        Assert.InRange(await TimeOfAsync(world, b => b.RemindAsync("a", s_second)), s_second, 2 * s_second);
        Assert.InRange(await TimeOfAsync(world, b => b.GiveUpAsync(5 * s_second)), 5 * s_second, 7 * s_second);
    }

    [Theory]
    [InlineData(-3600)]
    [InlineData(-365 * 86400)]
    [InlineData(3600)]
    [InlineData(365 * 86400)]
    public async Task A_clock_that_is_set_during_a_delay_makes_it_no_shorter_and_little_longer(int seconds)
    {
        await using var world = Start();
        TimeSpan before = world.Elapsed;
        TestCall<int> reminder = world.Call("bank", (BankProxy b) => b.RemindAsync("a", s_hour));
        await world.AdvanceAsync(s_hour / 2);
        await world.SetClockAsync("bank", TimeSpan.FromSeconds(seconds));
        await reminder;
        Assert.InRange(world.Elapsed - before, s_hour, 1.2 * s_hour);
    }

    [Fact]
    public async Task Log_time_goes_on_while_the_clock_lags_and_waits_for_it_a_little_in_each_second()
    {
        await using var world = Start();
        await CheckLogTimeAsync(world, TimeSpan.Zero);
        await world.SetClockAsync("bank", -s_hour);
        DateTimeOffset set = await world.Call("bank", (BankProxy b) => b.ClockAsync());
        await world.AdvanceAsync(s_hour);
        DateTimeOffset later = await world.Call("bank", (BankProxy b) => b.ClockAsync());
        Assert.InRange(later - set, 0.85 * s_hour, 0.95 * s_hour);
        await world.AdvanceAsync(10 * s_hour);
        await CheckLogTimeAsync(world, -s_hour); // The clock has caught up: from here on log time is its time again.
    }

    [Fact]
    public async Task Log_time_that_is_years_ahead_stays_ahead_and_delays_take_their_time_over_kills()
    {
        await using var world = Start();
        await world.SetClockAsync("bank", 73 * 365 * s_day);
        await world.Call("bank", (BankProxy b) => b.ClockAsync());
        await world.SetClockAsync("bank", -73 * 365 * s_day);
        TimeSpan before = world.Elapsed;
        TestCall<int> reminder = world.Call("bank", (BankProxy b) => b.RemindAsync("a", s_day));
        for (int i = 0; i < 12; i++)
        {
            await world.AdvanceAsync(2 * s_hour);
            await world.KillAsync("bank");
        }

        await reminder;
        Assert.InRange(world.Elapsed - before, s_day, 1.2 * s_day);
    }

    [Fact]
    public async Task A_delay_that_passes_while_an_immortal_is_down_is_over_when_it_is_back()
    {
        await using var world = Start();
        TestCall<int> reminder = world.Call("bank", (BankProxy b) => b.RemindAsync("a", s_day));
        await world.AdvanceAsync(s_hour);
        await world.KillAsync("bank", restart: false);
        await world.AdvanceAsync(2 * s_day);
        TimeSpan before = world.Elapsed;
        await world.StartAsync("bank");
        await reminder;
        Assert.InRange(world.Elapsed - before, TimeSpan.Zero, s_second);
    }

    [Fact]
    public async Task A_host_whose_clock_lags_takes_over_and_waits_for_what_is_left()
    {
        await using var world = Start();
        TestCall<int> reminder = world.Call("bank", (BankProxy b) => b.RemindAsync("a", s_hour));
        await world.AdvanceAsync(s_hour / 2);
        await world.Call("bank", (BankProxy b) => b.ClockAsync());
        TimeSpan before = world.Elapsed;
        await world.SetClockAsync("bank", -30 * s_day);
        await world.KillAsync("bank", Killed.Host);
        await reminder;
        Assert.InRange(world.Elapsed - before, s_hour / 2, 0.6 * s_hour);
    }

    private static async Task CheckLogTimeAsync(ImmortalTestHost world, TimeSpan offset)
    {
        DateTimeOffset logTime = await world.Call("bank", (BankProxy b) => b.ClockAsync());
        Assert.InRange(world.Now + offset - logTime, TimeSpan.Zero, s_second);
    }

    private static async Task<TimeSpan> TimeOfAsync(ImmortalTestHost world, Func<BankProxy, DurableTask<int>> call)
    {
        TimeSpan before = world.Elapsed;
        await world.Call("bank", call);
        return world.Elapsed - before;
    }

    private static ImmortalTestHost Start() =>
        ImmortalTestHost.Start<Bank>("bank", new ImmortalTestOptions { Patience = 365 * s_day }).Add<Auditor>("auditor");
}
