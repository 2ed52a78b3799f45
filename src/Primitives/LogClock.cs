namespace Ambrosia.Primitives;

/// <summary>
/// The time that records of a log get (exactly-once.md H10). It is the wall clock's, unless that was set back: then it goes on with
/// the clock that nobody sets, a tenth slower, until the wall clock has caught up. It never goes back, and never stands still.
/// </summary>
/// <param name="time">Both clocks.</param>
/// <param name="ticks">Time to begin with, in 100 ns ticks since 0001-01-01 UTC: that of the last record.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class LogClock(TimeProvider time, long ticks)
{
    /// <summary>While it waits for the wall clock, what passes is shorter by one in this many parts.</summary>
    public const int SlewPart = 10;

    /// <summary>
    /// It does not wait for a wall clock that lags by more, which would take weeks, or years where the year was wrong. It then keeps its
    /// distance.
    /// </summary>
    public static readonly TimeSpan LongestSlew = TimeSpan.FromDays(1);

    private long _from = ticks;
    private long _since = time.GetTimestamp();
    private bool _keepsDistance;

    /// <summary>Time now, in 100 ns ticks since 0001-01-01 UTC; never smaller than before.</summary>
    public long Now()
    {
        long wall = time.GetUtcNow().UtcTicks; // First: what passes until the other clock is read must not put this one ahead.
        long stamp = time.GetTimestamp();
        long passed = time.GetElapsedTime(_since, stamp).Ticks;
        long now = _from + (_keepsDistance ? passed : passed - passed / SlewPart);
        bool keepsDistance = now - wall > LongestSlew.Ticks;
        // What was begun goes on from one point, so that nothing is lost by rounding however often it is asked.
        if (wall >= now || keepsDistance != _keepsDistance)
        {
            now = Math.Max(now, wall);
            (_from, _since, _keepsDistance) = (now, stamp, keepsDistance);
        }

        return now;
    }

    /// <summary>The log is known to have come as far as this.</summary>
    public void Advance(long to)
    {
        if (to > Now())
        {
            (_from, _since) = (to, time.GetTimestamp());
        }
    }
}
