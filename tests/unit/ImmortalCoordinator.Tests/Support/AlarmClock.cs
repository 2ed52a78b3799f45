namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A clock whose timers ring when the test says so.</summary>
internal sealed class AlarmClock : TimeProvider
{
    private readonly List<Alarm> _alarms = [];

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var alarm = new Alarm(() => callback(state), rings: period == Timeout.InfiniteTimeSpan ? 1 : int.MaxValue);
        lock (_alarms)
        {
            _alarms.Add(alarm);
        }

        return alarm;
    }

    /// <summary>Every timer that was set and not stopped.</summary>
    public void Ring()
    {
        Alarm[] alarms;
        lock (_alarms)
        {
            alarms = [.. _alarms];
        }

        Array.ForEach(alarms, static alarm => alarm.Ring());
    }

    private sealed class Alarm(Action callback, int rings) : ITimer
    {
        private bool _stopped;

        public void Ring()
        {
            if (!_stopped)
            {
                _stopped = --rings == 0;
                callback();
            }
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            _stopped = dueTime == Timeout.InfiniteTimeSpan;
            return true;
        }

        public void Dispose() => _stopped = true;

        public ValueTask DisposeAsync()
        {
            _stopped = true;
            return default;
        }
    }
}
