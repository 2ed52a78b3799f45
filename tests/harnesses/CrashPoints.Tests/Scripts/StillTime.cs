namespace Ambrosia.CrashPoints.Tests.Scripts;

/// <summary>A clock that stands still: no heartbeat, no deadline.</summary>
internal sealed class StillTime : TimeProvider
{
    private static readonly DateTimeOffset s_now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public override DateTimeOffset GetUtcNow() => s_now;

    public override long GetTimestamp() => 0;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => new DeadTimer();

    private sealed class DeadTimer : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => default;
    }
}
