namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A clock that stands still until a test lets time pass. Its timers ring then, on the test's thread.</summary>
internal sealed class SteppedTime : TimeProvider
{
    private readonly List<Alarm> _alarms = [];
    private long _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _now);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var alarm = new Alarm(this, () => callback(state));
        alarm.Change(dueTime, period);
        lock (_alarms)
        {
            _alarms.Add(alarm);
        }

        return alarm;
    }

    public void Pass(TimeSpan time)
    {
        long now = Interlocked.Add(ref _now, time.Ticks);
        Alarm[] alarms;
        lock (_alarms)
        {
            alarms = [.. _alarms];
        }

        Array.ForEach(alarms, alarm => alarm.RingAt(now));
    }

    private sealed class Alarm(SteppedTime time, Action callback) : ITimer
    {
        private long _due = long.MaxValue;

        public void RingAt(long now)
        {
            if (Interlocked.Read(ref _due) <= now)
            {
                Interlocked.Exchange(ref _due, long.MaxValue); // Once: nobody here needs a period.
                callback();
            }
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            Interlocked.Exchange(ref _due, dueTime == Timeout.InfiniteTimeSpan ? long.MaxValue : time.GetTimestamp() + dueTime.Ticks);
            return true;
        }

        public void Dispose()
        {
            Interlocked.Exchange(ref _due, long.MaxValue);
            lock (time._alarms)
            {
                time._alarms.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
