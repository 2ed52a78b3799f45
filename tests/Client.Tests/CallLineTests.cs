namespace Ambrosia.Client.Tests;

/// <summary>Numbers of calls: none twice, and what has ended is said as soon as it can be.</summary>
public sealed class CallLineTests
{
    [Fact]
    public void What_has_ended_without_a_gap_is_low()
    {
        var line = new CallLine(CallKey.New());
        ulong[] numbers = [.. Enumerable.Range(0, 4).Select(_ => Begin(line))];
        Assert.Equal([1ul, 2, 3, 4], numbers);
        Assert.Equal(0ul, line.EndedThrough);
        line.End(2);
        Assert.Equal(0ul, line.EndedThrough); // The first is still open.
        line.End(1);
        Assert.Equal(2ul, line.EndedThrough);
        line.End(4);
        line.End(3);
        Assert.Equal((4ul, true), (line.EndedThrough, line.IsIdle));
        Assert.Equal(5ul, Begin(line));
        Assert.Equal(4ul, line.EndedThrough);
    }

    [Fact]
    public void A_call_that_takes_long_holds_up_its_own_line_only()
    {
        var lines = new CallLines(new ManualTime());
        NumberedCall slow = lines.Begin();
        for (int i = 0; i < 3 * CallLine.Window; i++)
        {
            NumberedCall call = lines.Begin();
            Assert.True(call.Number - call.Key.Low <= CallLine.Window);
            Assert.True(call.Key.Low < call.Number);
            call.Line.End(call.Number);
        }

        NumberedCall other = lines.Begin();
        Assert.NotEqual(slow.Line.Key, other.Line.Key);
        slow.Line.End(slow.Number);
        Assert.Same(slow.Line, lines.Begin().Line); // Used on, so that it can say that its calls have ended.
    }

    [Fact]
    public void A_line_that_a_coordinator_may_forget_is_used_no_more()
    {
        var time = new ManualTime();
        var lines = new CallLines(time);
        NumberedCall idle = lines.Begin();
        idle.Line.End(idle.Number);
        time.Passed += TimeSpan.FromMinutes(4);
        NumberedCall open = lines.Begin();
        Assert.Same(idle.Line, open.Line);
        time.Passed += TimeSpan.FromMinutes(6);
        Assert.Same(idle.Line, lines.Begin().Line); // A call of it is pending: it is kept.
        open.Line.End(open.Number);
        open.Line.End(open.Number + 1);
        time.Passed += TimeSpan.FromMinutes(6);
        NumberedCall next = lines.Begin();
        Assert.NotSame(idle.Line, next.Line);
        Assert.Equal(time.GetUtcNow(), next.Line.Key.Made);
    }

    [Fact]
    public void A_key_is_a_UUIDv7_that_says_when_it_was_made()
    {
        var time = new ManualTime();
        CallKey[] keys = [.. Enumerable.Range(0, 100).Select(_ => CallKey.New(time.GetUtcNow()))];
        Assert.Equal(100, keys.Distinct().Count());
        foreach (CallKey key in keys)
        {
            Assert.Matches("^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", key.Name);
            string digits = key.Name.Replace("-", "", StringComparison.Ordinal)[..12];
            Assert.Equal(time.GetUtcNow().ToUnixTimeMilliseconds(), Convert.ToInt64(digits, 16));
        }
    }

    [Fact]
    public void Pauses_grow_to_two_seconds_and_other_addresses_are_tried_at_once()
    {
        Assert.Equal(TimeSpan.Zero, Backoff.After(1, 2));
        for (int failures = 2; failures < 100; failures++)
        {
            TimeSpan pause = Backoff.After(failures, 2);
            double most = Math.Min(2000, 50 * Math.Pow(2, failures - 2));
            Assert.InRange(pause.TotalMilliseconds, most / 2, most);
        }
    }

    private static ulong Begin(CallLine line) => line.TryBegin(out ulong number) ? number : throw new InvalidOperationException("full");
}
