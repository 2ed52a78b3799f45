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
        line.End(2, 0);
        Assert.Equal(0ul, line.EndedThrough); // The first is still open.
        line.End(1, 0);
        Assert.Equal(2ul, line.EndedThrough);
        line.End(4, 0);
        line.End(3, 0);
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
            call.Line.End(call.Number, 0);
        }

        NumberedCall other = lines.Begin();
        Assert.NotEqual(slow.Line.Key, other.Line.Key);
        slow.Line.End(slow.Number, 0);
        Assert.Same(slow.Line, lines.Begin().Line); // Used on, so that it can say that its calls have ended.
    }

    [Fact]
    public void A_line_that_a_coordinator_may_forget_is_used_no_more()
    {
        var time = new ManualTime();
        var lines = new CallLines(time);
        NumberedCall idle = lines.Begin();
        idle.Line.End(idle.Number, 0);
        time.Passed += TimeSpan.FromMinutes(4);
        NumberedCall open = lines.Begin();
        Assert.Same(idle.Line, open.Line);
        time.Passed += TimeSpan.FromMinutes(6);
        Assert.Same(idle.Line, lines.Begin().Line); // A call of it is pending: it is kept.
        open.Line.End(open.Number, 0);
        open.Line.End(open.Number + 1, 0);
        time.Passed += TimeSpan.FromMinutes(6);
        NumberedCall next = lines.Begin();
        Assert.NotSame(idle.Line, next.Line);
        Assert.Equal(time.GetUtcNow(), next.Line.Key.Made);
    }

    [Fact]
    public void A_line_that_nobody_has_used_for_a_while_is_left_although_others_are_used()
    {
        var time = new ManualTime();
        var lines = new CallLines(time);
        NumberedCall[] burst = [.. Enumerable.Range(0, CallLine.Window + 1).Select(_ => lines.Begin())];
        foreach (NumberedCall call in burst)
        {
            call.Line.End(call.Number, 0);
        }

        for (int i = 0; i < 3; i++)
        {
            time.Passed += TimeSpan.FromMinutes(4);
            NumberedCall call = lines.Begin();
            Assert.Same(burst[0].Line, call.Line);
            call.Line.End(call.Number, 0);
        }

        NumberedCall[] next = [.. Enumerable.Range(0, CallLine.Window + 1).Select(_ => lines.Begin())];
        Assert.DoesNotContain(next, call => call.Line == burst[^1].Line);
    }

    [Fact]
    public void What_has_ended_is_told_although_another_line_has_room()
    {
        var lines = new CallLines(new ManualTime());
        NumberedCall[] burst = [.. Enumerable.Range(0, 2 * CallLine.Window).Select(_ => lines.Begin())];
        foreach (NumberedCall call in burst)
        {
            call.Line.End(call.Number, 0);
        }

        NumberedCall[] next = [lines.Begin(), lines.Begin()];
        Assert.Equal([burst[0].Line, burst[^1].Line], next.Select(static call => call.Line));
        Assert.All(next, static call => Assert.Equal((ulong)CallLine.Window, call.Key.Low));
    }

    [Theory] // A coordinator keeps 100,000 calls of one caller, and 25 MiB of answers. Beyond that it refuses all.
    [InlineData(600, 0)]
    [InlineData(100, 64 << 10)]
    public void Calls_that_take_long_keep_little_of_the_others_in_the_table_of_the_coordinator(int between, int bytes)
    {
        var table = new Dictionary<CallLine, SortedDictionary<ulong, int>>();
        var lines = new CallLines(new ManualTime());
        for (int i = 0; i < 512; i++)
        {
            Begin(0);
            for (int k = 0; k < between; k++)
            {
                NumberedCall call = Begin(bytes);
                call.Line.End(call.Number, bytes);
            }
        }

        Assert.InRange(table.Values.Sum(static line => line.Count), 512, 20_000);
        Assert.InRange(table.Values.Sum(static line => line.Values.Sum(static size => (long)size)), 0, 5 << 20);

        NumberedCall Begin(int size)
        {
            NumberedCall call = lines.Begin();
            SortedDictionary<ulong, int> kept = table.TryGetValue(call.Line, out var known) ? known : table[call.Line] = [];
            foreach (ulong done in kept.Keys.TakeWhile(number => number <= call.Key.Low).ToArray())
            {
                kept.Remove(done);
            }

            kept.Add(call.Number, size);
            return call;
        }
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

    private static ulong Begin(CallLine line) =>
        line.TryBegin(alone: false, out ulong number) ? number : throw new InvalidOperationException("full");
}
