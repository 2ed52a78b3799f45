namespace Ambrosia.Fuzz.Tests.Sessions;

/// <summary>The system's clock, except that pauses of up to a second, such as those between attempts to connect, last a
/// millisecond.</summary>
internal sealed class QuickRetries : TimeProvider
{
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        base.CreateTimer(callback, state, dueTime > TimeSpan.Zero && dueTime <= TimeSpan.FromSeconds(1) ? TimeSpan.FromMilliseconds(1)
            : dueTime, period);
}
