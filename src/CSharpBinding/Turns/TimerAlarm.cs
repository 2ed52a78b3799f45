namespace Ambrosia.Runtime;

/// <summary>
/// Wakes up when the earliest of the armed timers is due and has its impulse sent. Only a primary has one; it holds no state:
/// whatever it forgets is armed again from the saved timers at the next BecomingPrimary.
/// </summary>
/// <remarks>
/// A timer is due when two clocks say so (exactly-once.md H10). What is left of it must pass on the clock that nobody sets: a wall
/// clock that is set forward makes no timer early. Then log time must come to the deadline: while it waits for a wall clock, timers do not
/// push it ahead.
/// </remarks>
internal sealed class TimerAlarm : IDisposable
{
    /// <summary>
    /// While log time is ahead of the wall clock, this often a record keeps how far it has come. A process that starts could not know
    /// otherwise that time has passed.
    /// </summary>
    public static readonly TimeSpan SignEvery = TimeSpan.FromMinutes(10);

    /// <summary>Ids begin with 1: the impulse of this one has no effect but its record.</summary>
    public const long NoTimer = 0;

    private readonly object _gate = new();
    private readonly TimeProvider _time;
    private readonly Action<long> _fire;
    private readonly PriorityQueue<(long Id, DateTimeOffset Deadline), TimeSpan> _passing = new(); // By the end of what is left.
    private readonly PriorityQueue<long, DateTimeOffset> _passed = new(); // Nothing is left; by deadline.
    private readonly LogClock _clock;
    private readonly long _begun;
    private readonly ITimer _timer;
    private TimeSpan _lastSign;
    private bool _disposed;

    /// <summary>An alarm without timers.</summary>
    /// <param name="time">The wall clock, and the one that nobody sets.</param>
    /// <param name="fire">Sends the impulse that fires the timer with this id; called on a thread of the clock.</param>
    public TimerAlarm(TimeProvider time, Action<long> fire)
    {
        _time = time;
        _fire = fire;
        _clock = new LogClock(time, 0);
        _begun = time.GetTimestamp();
        _timer = time.CreateTimer(static state => ((TimerAlarm)state!).OnDue(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    private TimeSpan Passed => _time.GetElapsedTime(_begun);

    private DateTimeOffset LogTime => new(Math.Min(_clock.Now(), DateTimeOffset.MaxValue.UtcTicks), TimeSpan.Zero);

    /// <summary>Arms a timer.</summary>
    /// <param name="id">Id of the timer.</param>
    /// <param name="deadline">When it is due, in log time.</param>
    /// <param name="logTime">Log time now.</param>
    /// <param name="left">What has to pass from now on, however the wall clock is set; zero where only that says how much has
    /// passed.</param>
    public void Arm(long id, DateTimeOffset deadline, DateTimeOffset logTime, TimeSpan left)
    {
        lock (_gate)
        {
            if (_disposed)
            {
                return;
            }

            bool isNext;
            _clock.Advance(logTime.UtcTicks);
            if (left > TimeSpan.Zero)
            {
                TimeSpan passed = Passed;
                _passing.Enqueue((id, deadline), left < TimeSpan.MaxValue - passed ? passed + left : TimeSpan.MaxValue);
                isNext = _passing.Peek().Id == id;
            }
            else
            {
                _passed.Enqueue(id, deadline);
                isNext = _passed.Peek() == id;
            }

            if (isNext)
            {
                Schedule();
            }
        }
    }

    /// <summary>Log time, as far as the two clocks tell it.</summary>
    public DateTimeOffset Now()
    {
        lock (_gate)
        {
            return LogTime;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            _passing.Clear();
            _passed.Clear();
        }

        _timer.Dispose();
    }

    private void OnDue()
    {
        var due = new List<long>();
        lock (_gate)
        {
            TimeSpan passed = Passed;
            while (_passing.TryPeek(out (long Id, DateTimeOffset Deadline) timer, out TimeSpan end) && end <= passed)
            {
                _passing.Dequeue();
                _passed.Enqueue(timer.Id, timer.Deadline);
            }

            DateTimeOffset now = LogTime;
            while (_passed.TryPeek(out long id, out DateTimeOffset deadline) && deadline <= now)
            {
                due.Add(id);
                _passed.Dequeue();
            }

            if (passed - _lastSign >= SignEvery)
            {
                _lastSign = passed;
                if (now > _time.GetUtcNow() && _passing.Count + _passed.Count > 0)
                {
                    due.Add(NoTimer);
                }
            }

            Schedule();
        }

        foreach (long id in due)
        {
            _fire(id);
        }
    }

    private void Schedule()
    {
        if (_disposed || _passing.Count + _passed.Count == 0)
        {
            return;
        }

        TimeSpan passed = Passed;
        TimeSpan wait = _lastSign + SignEvery - passed;
        if (_passing.TryPeek(out _, out TimeSpan end) && end - passed < wait)
        {
            wait = end - passed;
        }

        if (_passed.TryPeek(out _, out DateTimeOffset deadline) && deadline - LogTime is var left && left < wait)
        {
            wait = left;
        }

        // Rounded up to a whole millisecond: a timer that rings early would only have to be set again.
        wait = wait <= TimeSpan.Zero ? TimeSpan.Zero : TimeSpan.FromMilliseconds(Math.Ceiling(wait.TotalMilliseconds));
        _timer.Change(wait, Timeout.InfiniteTimeSpan);
    }
}
