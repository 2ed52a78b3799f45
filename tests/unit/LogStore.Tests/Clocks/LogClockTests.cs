using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests.Clocks;

public sealed class LogClockTests
{
    private static readonly TimeSpan s_hour = TimeSpan.FromHours(1);
    private readonly ManualTime _time = new();
    private readonly LogClock _clock;

    public LogClockTests() => _clock = new LogClock(_time, 0);

    private long Wall => _time.GetUtcNow().UtcTicks;

    [Fact]
    public void It_shows_the_wall_clocks_time_also_after_that_was_set_forward()
    {
        Assert.Equal(Wall, _clock.Now());
        _time.Advance(s_hour);
        Assert.Equal(Wall, _clock.Now());
        _time.SetWall(30 * 24 * s_hour);
        Assert.Equal(Wall, _clock.Now());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3600)]
    public void While_the_wall_clock_lags_it_goes_on_a_tenth_slower_until_that_has_caught_up_however_often_it_is_asked(int asked)
    {
        long before = _clock.Now();
        _time.SetWall(-s_hour);
        for (int i = 0; i < asked; i++)
        {
            _time.Advance(s_hour / asked);
            _clock.Now();
        }

        Assert.Equal(before + (s_hour * 9 / 10).Ticks, _clock.Now());
        _time.Advance(9 * s_hour);
        Assert.Equal(Wall, _clock.Now());
        _time.Advance(s_hour);
        Assert.Equal(Wall, _clock.Now());
    }

    [Fact]
    public void A_wall_clock_that_lags_by_more_than_a_day_is_not_waited_for()
    {
        long before = _clock.Now();
        _time.SetWall(-365 * 24 * s_hour);
        Assert.Equal(before, _clock.Now());
        _time.Advance(100 * 24 * s_hour);
        Assert.Equal(before + (100 * 24 * s_hour).Ticks, _clock.Now());
        _time.SetWall(365 * 24 * s_hour); // The clock was right before.
        Assert.Equal(Wall, _clock.Now());
    }

    [Fact]
    public void It_begins_with_the_last_record_where_the_wall_clock_of_this_machine_lags_and_goes_on_from_there()
    {
        long last = Wall + s_hour.Ticks;
        var clock = new LogClock(_time, last);
        Assert.Equal(last, clock.Now());
        _time.Advance(s_hour);
        Assert.Equal(last + (s_hour * 9 / 10).Ticks, clock.Now());
    }

    [Fact]
    public void It_never_goes_back_and_stands_still_for_no_time_however_the_wall_clock_is_set()
    {
        var random = new Random(17);
        long before = _clock.Now();
        for (int i = 0; i < 20_000; i++)
        {
            if (random.Next(4) == 0)
            {
                _time.SetWall(TimeSpan.FromSeconds(random.Next(-100_000, 100_000)));
                Assert.True(_clock.Now() >= before, $"step {i}");
                before = _clock.Now();
            }

            TimeSpan passes = TimeSpan.FromMilliseconds(random.Next(1, 10_000));
            _time.Advance(passes);
            long now = _clock.Now();
            var passed = TimeSpan.FromTicks(now - before);
            Assert.True(passed >= passes * 9 / 10, $"step {i}: {passes} passed, and {passed} of log time");
            before = now;
        }
    }

    [Fact]
    public void It_is_moved_to_where_the_log_is_known_to_be_and_never_back()
    {
        long now = _clock.Now();
        _clock.Advance(now + s_hour.Ticks);
        Assert.Equal(now + s_hour.Ticks, _clock.Now());
        _clock.Advance(now);
        Assert.Equal(now + s_hour.Ticks, _clock.Now());
        _time.Advance(s_hour);
        Assert.Equal(now + (s_hour * 19 / 10).Ticks, _clock.Now());
    }
}
