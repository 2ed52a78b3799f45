namespace Ambrosia.LogStore.Tests.Leases;

/// <summary>
/// A clock that stands still until it is set forward; timers that are due then fire one after the other, each at its time.
/// </summary>
internal sealed class SetClock : TimeProvider
{
    private readonly object _lock = new();
    private readonly List<Alarm> _alarms = [];
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _now);

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch.AddTicks(GetTimestamp());

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var alarm = new Alarm(this, () => callback(state));
        alarm.Change(dueTime, period);
        return alarm;
    }

    /// <summary>Whether somebody is to be woken at this time, counted from the clock's beginning.</summary>
    public bool IsAwaited(TimeSpan time)
    {
        lock (_lock)
        {
            return _alarms.Exists(alarm => alarm.Due == time.Ticks);
        }
    }

    /// <summary>Sets it to this time, counted from its beginning.</summary>
    public void SetTo(TimeSpan time)
    {
        while (Next(time.Ticks) is { } alarm)
        {
            alarm.Ring();
        }
    }

    private Alarm? Next(long until)
    {
        lock (_lock)
        {
            Alarm? next = _alarms.Where(alarm => alarm.Due <= until).MinBy(static alarm => alarm.Due);
            Interlocked.Exchange(ref _now, Math.Max(_now, next?.Due ?? until));
            _alarms.RemoveAll(alarm => alarm == next);
            return next;
        }
    }

    private sealed class Alarm(SetClock clock, Action ring) : ITimer
    {
        public long Due { get; private set; }

        public Action Ring => ring;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._lock)
            {
                clock._alarms.Remove(this);
                if (dueTime != Timeout.InfiniteTimeSpan)
                {
                    Due = clock.GetTimestamp() + dueTime.Ticks;
                    clock._alarms.Add(this);
                }
            }

            return true;
        }

        public void Dispose() => Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
