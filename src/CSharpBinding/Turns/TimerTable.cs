namespace Ambrosia.Runtime;

/// <summary>
/// The pending durable timers of one immortal: state. Firing is an impulse to itself, which has an effect only while the id is
/// still pending, so that a timer fires once however often its impulse was sent (docs/internals/exactly-once.md H10).
/// </summary>
internal sealed class TimerTable(TurnClock clock) : IDurableTimers
{
    private readonly SortedDictionary<long, DurableTimer> _pending = [];
    private TimerAlarm? _alarm;
    private long _nextId = 1;

    /// <inheritdoc/>
    public DateTimeOffset LogTime => clock.LogTime;

    /// <summary>Timers that have not fired.</summary>
    public int Count => _pending.Count;

    /// <summary>Those, in the order of their ids.</summary>
    public IEnumerable<DurableTimer> Pending => _pending.Values;

    /// <inheritdoc/>
    public long Schedule(DateTimeOffset deadline, DurableTimer timer)
    {
        long id = _nextId++;
        _pending.Add(id, timer);
        // All of the delay is still to pass. After a start nobody knows by any other clock than the wall's how much is left.
        _alarm?.Arm(id, deadline, LogTime, deadline - LogTime);
        return id;
    }

    /// <inheritdoc/>
    public void Cancel(long id) => _pending.Remove(id);

    /// <summary>The impulse of a timer was logged: completes it if it is pending.</summary>
    public void Fire(long id)
    {
        if (_pending.Remove(id, out DurableTimer? timer))
        {
            clock.LogTicks = Math.Max(clock.LogTicks, timer.Deadline.UtcTicks);
            timer.Fire();
        }
    }

    /// <summary>The impulse of a timer was quarantined: what waits for it is told, if it is pending.</summary>
    public void Fail(long id, Exception reason)
    {
        if (_pending.Remove(id, out DurableTimer? timer))
        {
            timer.TryFail(reason);
        }
    }

    /// <summary>The table as state.</summary>
    public SavedTimers Save() => new(_nextId, [.. _pending.Values]);

    /// <summary>Puts the table into a saved state.</summary>
    public void Restore(SavedTimers saved)
    {
        _nextId = saved.NextId;
        _pending.Clear();
        foreach (DurableTimer timer in saved.Pending)
        {
            _pending.Add(timer.Id, timer);
        }
    }

    /// <summary>From now on timers really ring; all that are pending are armed, whatever was sent before.</summary>
    public void Arm(TimerAlarm alarm)
    {
        _alarm = alarm;
        foreach (DurableTimer timer in _pending.Values)
        {
            alarm.Arm(timer.Id, timer.Deadline, LogTime, TimeSpan.Zero);
        }
    }
}
