namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>The system's clock, whose timers never ring; it counts how often one was set.</summary>
internal sealed class SilentClock : TimeProvider
{
    private int _set;

    public int Set => Volatile.Read(ref _set);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Count(dueTime);
        return new SilentTimer(Count);
    }

    private void Count(TimeSpan dueTime)
    {
        if (dueTime != Timeout.InfiniteTimeSpan)
        {
            Interlocked.Increment(ref _set);
        }
    }

    private sealed class SilentTimer(Action<TimeSpan> set) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            set(dueTime);
            return true;
        }

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }
}
