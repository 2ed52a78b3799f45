namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A clock on which every pause is over at once, and which shows how long all of them were.</summary>
public sealed class LeapingClock : TimeProvider
{
    private long _now;

    public TimeSpan Elapsed => TimeSpan.FromTicks(Interlocked.Read(ref _now));

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _now);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Interlocked.Add(ref _now, Math.Max(0, dueTime.Ticks));
        return System.CreateTimer(callback, state, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
    }
}
