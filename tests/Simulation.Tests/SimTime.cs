namespace Ambrosia.Simulation.Tests;

/// <summary>Virtual time as one process sees it; its wall clock may be wrong by an offset.</summary>
internal sealed class SimTime(SimLoop loop, SimProcess process) : TimeProvider
{
    public TimeSpan ClockOffset { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => loop.Now;

    public override DateTimeOffset GetUtcNow() => new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero).AddTicks(loop.Now) + ClockOffset;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new SimTimer(loop, process, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }
}
