using Ambrosia.Testing;

namespace Ambrosia.InProcess.Tests.Schedules;

/// <summary>Schedules in the test host: a real coordinator, virtual time from 1 January 2026 on (docs/internals/routines.md).</summary>
public sealed class ScheduleTests
{
    private const string Vienna = "Europe/Vienna";
    private static readonly TimeSpan s_day = TimeSpan.FromDays(1);
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);

    [Fact]
    public async Task An_occurrence_runs_at_its_time_in_the_zone_and_never_before()
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await PlanAsync(world, "0 3 * * *", Missed.Once, Vienna);
        await world.AdvanceAsync(1.99 * s_hour); // 2:00 UTC is 3:00 in Vienna.
        Assert.Empty(Seen(world));
        await world.AdvanceAsync(3 * s_day);
        Assert.Equal(["01-01 02:00:00 a 0", "01-02 02:00:00 a 0", "01-03 02:00:00 a 0"], Seen(world));
        Assert.Equal("0 3 * * * Europe/Vienna Once next 01-04 02:00:00 runs 3 left out 0",
            await world.Call("n", (NightlyProxy n) => n.LookAsync("s")));
    }

    [Fact]
    public async Task Utc_and_seconds_work_without_a_zone()
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await world.Call("n", (NightlyProxy n) => n.PlanUtcAsync("s", "*/20 * * * * *", "a"));
        await world.AdvanceAsync(TimeSpan.FromSeconds(65));
        Assert.Equal(["01-01 00:00:20 a 0", "01-01 00:00:40 a 0", "01-01 00:01:00 a 0"], Seen(world));
    }

    [Theory]
    [InlineData(Missed.Once, "01-05 02:00:00 a 3")]
    [InlineData(Missed.All, "01-02 02:00:00 a 0, 01-03 02:00:00 a 0, 01-04 02:00:00 a 0, 01-05 02:00:00 a 0")]
    [InlineData(Missed.Skip, "")]
    public async Task What_was_missed_while_nobody_served_runs_as_declared(Missed missed, string expected)
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await PlanAsync(world, "0 2 * * *", missed);
        await world.AdvanceAsync(s_day);
        await world.KillAsync("n", Killed.Process, restart: false);
        await world.AdvanceAsync(4 * s_day);
        await world.StartAsync("n");
        await world.IdleAsync();
        Assert.Equal(expected, string.Join(", ", Seen(world).Skip(1)));
        await world.AdvanceAsync(s_day);
        Assert.Equal("01-06 02:00:00 a 0", Seen(world)[^1][..18]);
        Assert.EndsWith($"left out {(missed == Missed.All ? 0 : missed == Missed.Once ? 3 : 4)}",
            await world.Call("n", (NightlyProxy n) => n.LookAsync("s")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_skipping_schedule_runs_what_is_late_by_a_minute_at_most()
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await PlanAsync(world, "0 * * * *", Missed.Skip);
        foreach (double late in (double[])[0.9, 1.1])
        {
            await world.AdvanceAsync(s_hour - TimeSpan.FromMinutes(world.Now.Minute) - TimeSpan.FromSeconds(world.Now.Second + 1));
            await world.KillAsync("n", Killed.Process, restart: false);
            await world.AdvanceAsync(TimeSpan.FromMinutes(late));
            await world.StartAsync("n");
            await world.IdleAsync();
        }

        Assert.Equal(["01-01 01:00:00 a 0"], Seen(world));
    }

    [Fact]
    public async Task Of_too_many_missed_ones_the_newest_thousand_run_in_order()
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await PlanAsync(world, "* * * * *", Missed.All);
        await world.KillAsync("n", Killed.Process, restart: false);
        await world.AdvanceAsync(TimeSpan.FromMinutes(1200));
        await world.StartAsync("n");
        await world.IdleAsync();
        List<string> seen = Seen(world);
        Assert.Equal(1000, seen.Count);
        Assert.StartsWith("01-01 03:21:00 a ", seen[0], StringComparison.Ordinal);
        Assert.StartsWith("01-01 20:00:00 a 0", seen[^1], StringComparison.Ordinal);
        Assert.Equal(seen.Order(StringComparer.Ordinal), seen);
        Assert.EndsWith("runs 1000 left out 200", await world.Call("n", (NightlyProxy n) => n.LookAsync("s")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_schedule_is_changed_kept_and_cancelled_by_its_name()
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await PlanAsync(world, "0 2 * * *", Missed.Once);
        await world.AdvanceAsync(s_hour);
        await world.Call("n", (NightlyProxy n) => n.PlanAsync("s", "30 * * * *", "UTC", Missed.Once, "b"));
        await world.AdvanceAsync(1.4 * s_hour); // 2:24: the old time is gone.
        Assert.Equal(["01-01 01:30:00 b 0"], Seen(world));
        await world.Call("n", (NightlyProxy n) => n.PlanAsync("s", "30 * * * *", "UTC", Missed.Once, "c"));
        await world.AdvanceAsync(s_hour);
        Assert.Equal("01-01 02:30:00 c 0", Seen(world)[^1]);
        Assert.True(await world.Call("n", (NightlyProxy n) => n.CancelAsync("s")));
        Assert.False(await world.Call("n", (NightlyProxy n) => n.CancelAsync("s")));
        await world.AdvanceAsync(s_day);
        Assert.Equal(2, Seen(world).Count);
        Assert.Equal("none", await world.Call("n", (NightlyProxy n) => n.LookAsync("s")));
    }

    [Fact]
    public async Task A_schedule_declared_again_at_a_start_loses_no_missed_occurrence()
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await PlanAsync(world, "0 2 * * *", Missed.All);
        await world.KillAsync("n", Killed.Process, restart: false);
        await world.AdvanceAsync(1.5 * s_day);
        await world.StartAsync("n");
        await PlanAsync(world, "0 2 * * *", Missed.All); // Before or after the first missed one.
        Assert.Equal(["01-01 02:00:00 a 0", "01-02 02:00:00 a 0"], Seen(world));
    }

    [Theory]
    [InlineData(Killed.Process)]
    [InlineData(Killed.App)]
    [InlineData(Killed.Coordinator)]
    [InlineData(Killed.Host)]
    public async Task Each_occurrence_runs_once_whatever_dies_at_whichever_step(Killed what)
    {
        bool more = true;
        int step = 0;
        for (; more; step += 3)
        {
            await using var world = ImmortalTestHost.Start<Nightly>("n", new ImmortalTestOptions { Seed = step });
            await world.Call("n", (NightlyProxy n) => n.PlanAsync("s", "*/10 * * * * *", "UTC", Missed.All, "a"));
            await world.AdvanceAsync(TimeSpan.FromSeconds(9.999));
            TestCall<string> look = world.Call("n", (NightlyProxy n) => n.LookAsync("s"));
            more = await world.StepAsync(step) == step;
            await world.KillAsync("n", what);
            await look;
            await world.AdvanceAsync(TimeSpan.FromSeconds(20));
            Assert.Equal(["01-01 00:00:10 a 0", "01-01 00:00:20 a 0"], Seen(world).Take(2));
            Assert.Equal(Seen(world).Distinct(), Seen(world));
        }

        Assert.True(step > 30, $"only {step} steps");
    }

    [Theory]
    [InlineData(Killed.App)]
    [InlineData(Killed.Host)]
    public async Task A_checkpoint_holds_schedules(Killed what)
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await PlanAsync(world, "0 2 * * *", Missed.Once, Vienna);
        await world.Call("n", (NightlyProxy n) => n.PlanAsync("slow", "0 5 * * *", "UTC", Missed.All, "slow"));
        await world.AdvanceAsync(s_day);
        await world.CheckpointAsync("n");
        await world.KillAsync("n", what);
        await world.AdvanceAsync(s_day);
        Assert.Equal(["01-01 01:00:00 a 0", "01-01 05:00:00 slow 0", "01-02 01:00:00 a 0", "01-02 05:00:00 slow 0"], Seen(world));
    }

    [Fact]
    public async Task An_upgrade_carries_schedules_over()
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await PlanAsync(world, "0 2 * * *", Missed.Once);
        await world.AdvanceAsync(s_day);
        await world.UpgradeAsync<NextNightly>("n", static options =>
            options.UpgradeFrom<Nightly, NextNightly>(static old => new NextNightly(old)));
        await world.AdvanceAsync(s_day);
        Assert.Equal(["01-01 02:00:00 a 0 old", "01-02 02:00:00 a 0"], world.State<NextNightly>("n").Seen);
    }

    [Fact]
    public async Task A_failing_handler_does_not_end_its_schedule()
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await world.Call("n", (NightlyProxy n) => n.PlanUtcAsync("s", "0 * * * *", "fail"));
        await world.AdvanceAsync(2.5 * s_hour);
        Assert.Equal(2, Seen(world).Count);
    }

    [Fact]
    public async Task An_occurrence_is_told_to_the_handler_that_it_calls_and_to_nobody_else()
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await world.Call("n", (NightlyProxy n) => n.PlanUtcAsync("s", "0 * * * *", "slow"));
        await world.AdvanceAsync(1.5 * s_hour);
        await world.Call("n", (NightlyProxy n) => n.RunAsync("b"));
        Assert.Equal(["01-01 01:00:00 slow 0", "called b"], Seen(world));
    }

    [Theory] // Cronos' rules: a time that is skipped runs when the clocks jump, one that comes twice runs once, intervals run on.
    [InlineData("30 2 * * *", 86, "03-28 01:30:00, 03-29 01:00:00, 03-30 00:30:00")]
    [InlineData("30 2 * * *", 296, "10-24 00:30:00, 10-25 00:30:00, 10-26 01:30:00")]
    [InlineData("0 3 * * *", 86, "03-28 02:00:00, 03-29 01:00:00, 03-30 01:00:00")]
    [InlineData("0 3 * * *", 296, "10-24 01:00:00, 10-25 02:00:00, 10-26 02:00:00")]
    [InlineData("30 */1 * * *", 297, "10-25 00:30:00, 10-25 01:30:00, 10-25 02:30:00")]
    public async Task The_days_on_which_clocks_change_have_their_occurrences(string expression, double days, string expected)
    {
        foreach (Missed missed in (Missed[])[Missed.Once, Missed.All])
        {
            await using var world = ImmortalTestHost.Start<Nightly>("n");
            await world.AdvanceAsync(days * s_day);
            await PlanAsync(world, expression, missed, Vienna);
            if (missed == Missed.Once)
            {
                await world.AdvanceAsync(3 * s_day);
            }
            else
            {
                await world.KillAsync("n", Killed.Process, restart: false); // The same, found afterwards.
                await world.AdvanceAsync(3 * s_day);
                await world.StartAsync("n");
                await world.IdleAsync();
            }

            Assert.Equal(expected, string.Join(", ", Seen(world).Take(3).Select(static seen => seen[..14])));
        }
    }

    [Fact]
    public async Task A_replay_follows_the_log_and_not_the_rules_of_its_machine()
    {
        var offset = TimeSpan.FromHours(1);
        await using var world = ImmortalTestHost.Start<Nightly>("n", null, options => options.TimeZones = Zones);
        await PlanAsync(world, "0 3 * * *", Missed.Once, "Land");
        await world.AdvanceAsync(2 * s_day);
        Assert.Equal(["01-01 02:00:00 a 0", "01-02 02:00:00 a 0"], Seen(world));
        offset = TimeSpan.FromHours(2); // A country changes its time; the machine that goes on knows it.
        await world.KillAsync("n");
        await world.IdleAsync();
        Assert.Equal(["01-01 02:00:00 a 0", "01-02 02:00:00 a 0"], Seen(world));
        Assert.Contains("next 01-03 01:00:00", await world.Call("n", (NightlyProxy n) => n.LookAsync("s")), StringComparison.Ordinal);
        await world.AdvanceAsync(s_day);
        Assert.Equal("01-03 01:00:00 a 0", Seen(world)[^1]);

        TimeZoneInfo Zones(string id) => TimeZoneInfo.CreateCustomTimeZone(id, offset, id, id);
    }

    [Fact]
    public async Task An_unknown_zone_is_trouble_that_says_what_to_do_until_a_process_knows_it()
    {
        bool known = false;
        await using var world = ImmortalTestHost.Start<Nightly>("n", null, options => options.TimeZones = id => known
            ? TimeZoneInfo.Utc : throw new TimeZoneNotFoundException(id));
        await PlanAsync(world, "0 2 * * *", Missed.All, "Europe/Viena");
        string look = await world.Call("n", (NightlyProxy n) => n.LookAsync("s"));
        Assert.Contains("there is no time zone 'Europe/Viena'", look, StringComparison.Ordinal);
        Assert.Contains("tzdata", look, StringComparison.Ordinal);
        await world.AdvanceAsync(s_day);
        Assert.Empty(Seen(world));
        known = true;
        await world.KillAsync("n");
        await world.IdleAsync();
        Assert.Equal(["01-01 02:00:00 a 0"], Seen(world)); // Missed since it was declared.
        known = false;
        await world.KillAsync("n");
        await world.AdvanceAsync(s_day);
        Assert.Equal("01-02 02:00:00 a 0", Seen(world)[^1]); // What was chosen still runs.
        Assert.Contains("there is no time zone", await world.Call("n", (NightlyProxy n) => n.LookAsync("s")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_clock_that_is_set_forward_runs_what_it_passes_and_one_that_is_set_back_repeats_nothing()
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        await PlanAsync(world, "0 2 * * *", Missed.Once);
        await world.SetClockAsync("n", 3 * s_hour);
        await world.AdvanceAsync(TimeSpan.FromMinutes(11));
        Assert.Equal(["01-01 02:00:00 a 0"], Seen(world));
        await world.SetClockAsync("n", TimeSpan.Zero);
        await world.KillAsync("n", Killed.Host);
        await world.AdvanceAsync(3 * s_hour);
        Assert.Equal(["01-01 02:00:00 a 0"], Seen(world));
        await world.AdvanceAsync(s_day);
        Assert.Equal(["01-01 02:00:00 a 0", "01-02 02:00:00 a 0"], Seen(world));
    }

    [Fact]
    public async Task What_finds_time_zones_may_fail_in_any_way()
    {
        await using var world = ImmortalTestHost.Start<Nightly>(
            "n", null, static options => options.TimeZones = static _ => throw new InvalidOperationException(new string('x', 9000)));
        await PlanAsync(world, "0 2 * * *", Missed.Once);
        Assert.Contains("cannot be told: InvalidOperationException: xxx", await world.Call("n", (NightlyProxy n) => n.LookAsync("s")),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("expression", "FormatException: Schedule 'n': \"0 25 * * *\" is no cron expression: ")]
    [InlineData("never", "FormatException: Schedule 'n': \"0 0 30 2 *\" is no cron expression: no date meets it")]
    [InlineData("fields", "FormatException: Schedule 'n': \"* *\" is no cron expression: ")]
    [InlineData("jitter", "FormatException: Schedule 'n': \"H 3 * * *\" is no cron expression: ")]
    [InlineData("name", "ArgumentException: ")]
    [InlineData("awaited", "InvalidOperationException: Schedule 'n' runs one call whose result nobody awaits")]
    [InlineData("twice", "InvalidOperationException: Schedule 'n' runs one call")]
    [InlineData("other", "InvalidOperationException: Schedule 'n' is for other")]
    [InlineData("policy", "ArgumentOutOfRangeException: Schedule 'n': use Missed.Once, Missed.All or Missed.Skip.")]
    [InlineData("nothing", "")]
    [InlineData("nobody", "ArgumentNullException: ")]
    [InlineData("later", "InvalidOperationException: Schedule 'n' runs one call whose result nobody awaits: write Every(...)")]
    public async Task A_wrong_declaration_is_answered_with_what_where_and_what_to_do(string how, string expected)
    {
        await using var world = ImmortalTestHost.Start<Nightly>("n");
        Assert.StartsWith(expected, await world.Call("n", (NightlyProxy n) => n.MisuseAsync(how)), StringComparison.Ordinal);
        Assert.Equal(how == "twice" ? "*" : "n", (await world.Call("n", (NightlyProxy n) => n.LookAsync("n")))[..1]);
    }

    private static async Task PlanAsync(ImmortalTestHost world, string expression, Missed missed, string zone = "UTC")
    {
        await world.Call("n", (NightlyProxy n) => n.PlanAsync("s", expression, zone, missed, "a"));
        await world.IdleAsync();
    }

    private static List<string> Seen(ImmortalTestHost world) => world.State<Nightly>("n").Seen;
}
