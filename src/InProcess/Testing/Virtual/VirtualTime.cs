namespace Ambrosia.Testing.Virtual;

/// <summary>
/// The world's clock as one process sees it. It begins on 1 January 2026 and stands still unless the world lets time pass.
/// </summary>
internal sealed class VirtualTime(VirtualLoop loop, VirtualProcess process) : TimeProvider
{
    private static readonly DateTimeOffset s_start = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>How far the wall clock is off; it may change at any time, which no deadline may notice.</summary>
    public TimeSpan ClockOffset { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public static DateTimeOffset At(long ticks) => s_start.AddTicks(ticks);

    public override long GetTimestamp() => loop.Now;

    public override DateTimeOffset GetUtcNow() => At(loop.Now) + ClockOffset;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new VirtualTimer(loop, process, callback, state);
        timer.Change(dueTime, period);
        return timer;
    }
}
