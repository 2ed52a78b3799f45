namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>A clock whose timers ring when the schedule says so.</summary>
internal sealed class ModelTime : TimeProvider
{
    private readonly List<ModelTimer> _due = [];

    public bool HasTimers => _due.Count > 0;

    public override long GetTimestamp() => 0;

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ModelTimer(this, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }

    public void RingFirst()
    {
        ModelTimer first = _due[0];
        _due.RemoveAt(0);
        first.Ring();
    }

    private sealed class ModelTimer(ModelTime time, TimerCallback callback, object? state) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            time._due.Remove(this);
            if (dueTime != Timeout.InfiniteTimeSpan)
            {
                time._due.Add(this);
            }

            return true;
        }

        public void Ring() => callback(state);

        public void Dispose() => time._due.Remove(this);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }
    }
}
