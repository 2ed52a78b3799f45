namespace Ambrosia.Runtime;

/// <summary>
/// Wakes up when the earliest of the armed timers is due and has its impulse sent. Only a primary has one; it holds no state:
/// whatever it forgets is armed again from the saved timers at the next BecomingPrimary.
/// </summary>
internal sealed class TimerAlarm : IDisposable
{
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(20);
    private readonly object _gate = new();
    private readonly TimeProvider _time;
    private readonly Action<long> _fire;
    private readonly PriorityQueue<long, DateTimeOffset> _armed = new();
    private readonly ITimer _timer;
    private DateTimeOffset _known = DateTimeOffset.MinValue;
    private long _knownAt;
    private bool _disposed;

    /// <summary>An alarm without timers.</summary>
    /// <param name="time">Wall clock.</param>
    /// <param name="fire">Sends the impulse that fires the timer with this id; called on a thread of the clock.</param>
    public TimerAlarm(TimeProvider time, Action<long> fire)
    {
        _time = time;
        _fire = fire;
        _timer = time.CreateTimer(static state => ((TimerAlarm)state!).OnDue(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Arms a timer.</summary>
    /// <param name="id">Id of the timer.</param>
    /// <param name="deadline">When it is due, in log time.</param>
    /// <param name="logTime">Log time now.</param>
    public void Arm(long id, DateTimeOffset deadline, DateTimeOffset logTime)
    {
        lock (_gate)
        {
            if (_disposed)
            {
                return;
            }

            Learn(logTime);

            _armed.Enqueue(id, deadline);
            if (_armed.Peek() == id)
            {
                Schedule();
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            _armed.Clear();
        }

        _timer.Dispose();
    }

    private void OnDue()
    {
        var due = new List<long>();
        lock (_gate)
        {
            DateTimeOffset now = Now();
            while (_armed.TryPeek(out long id, out DateTimeOffset deadline) && deadline <= now)
            {
                due.Add(id);
                _armed.Dequeue();
            }

            Schedule();
        }

        foreach (long id in due)
        {
            _fire(id);
        }
    }

    // Deadlines are log time, which never goes back. A wall clock that does must not hold up timers for as long as it was ahead: time passes from the
    // latest time known.
    private DateTimeOffset Now()
    {
        Learn(_time.GetUtcNow());
        return _known;
    }

    private void Learn(DateTimeOffset time)
    {
        long stamp = _time.GetTimestamp();
        DateTimeOffset passed = _known == DateTimeOffset.MinValue ? time : _known + _time.GetElapsedTime(_knownAt, stamp);
        _known = time > passed ? time : passed;
        _knownAt = stamp;
    }

    private void Schedule()
    {
        if (_disposed || !_armed.TryPeek(out _, out DateTimeOffset deadline))
        {
            return;
        }

        TimeSpan wait = deadline - Now();
        // Rounded up to a whole millisecond: a timer that rings early would only have to be set again.
        wait = wait <= TimeSpan.Zero ? TimeSpan.Zero : TimeSpan.FromMilliseconds(Math.Ceiling(wait.TotalMilliseconds));
        _timer.Change(wait < s_longest ? wait : s_longest, Timeout.InfiniteTimeSpan);
    }
}
