namespace Ambrosia.Simulation.Tests;

/// <summary>A timer in virtual time; silent once its process is dead.</summary>
internal sealed class SimTimer(SimLoop loop, SimProcess process, TimerCallback callback, object? state) : ITimer
{
    private TimeSpan _period = Timeout.InfiniteTimeSpan;
    private bool _active;

    public long Due { get; set; }

    public bool Change(TimeSpan dueTime, TimeSpan period)
    {
        _period = period;
        _active = dueTime != Timeout.InfiniteTimeSpan;
        if (_active)
        {
            loop.Schedule(this, loop.Now + Math.Max(0, dueTime.Ticks));
        }

        return true;
    }

    public void Fire()
    {
        if (!_active || !process.Alive || Due > loop.Now)
        {
            return;
        }

        _active = false;
        if (_period != Timeout.InfiniteTimeSpan && _period > TimeSpan.Zero)
        {
            Change(_period, _period);
        }

        callback(state);
    }

    public void Dispose() => _active = false;

    public ValueTask DisposeAsync()
    {
        Dispose();
        return default;
    }
}
