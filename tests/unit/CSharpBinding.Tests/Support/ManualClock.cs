namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>Time that passes when a test says so; timers ring once, on the thread of the test.</summary>
internal sealed class ManualClock : TimeProvider
{
    private readonly List<Alarm> _alarms = [];
    private TimeSpan _now;

    public void Advance(TimeSpan by)
    {
        _now += by;
        foreach (Alarm due in _alarms.Where(each => each.Due <= _now).ToArray())
        {
            _alarms.Remove(due);
            due.Ring();
        }
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var alarm = new Alarm(_now + dueTime, () => callback(state));
        _alarms.Add(alarm);
        return alarm;
    }

    private sealed class Alarm(TimeSpan due, Action ring) : ITimer
    {
        public TimeSpan Due => due;

        public void Ring() => ring();

        public bool Change(TimeSpan dueTime, TimeSpan period) => throw new NotSupportedException();

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }
}
