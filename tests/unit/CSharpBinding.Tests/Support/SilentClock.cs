namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>The system's clock, whose timers never ring; it counts how often one was set.</summary>
internal sealed class SilentClock : TimeProvider
{
    private readonly TaskCompletionSource _first = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _set;

    /// <summary>Completes when a timer is set for the first time.</summary>
    public Task FirstSet => _first.Task;

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
            _first.TrySetResult();
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
