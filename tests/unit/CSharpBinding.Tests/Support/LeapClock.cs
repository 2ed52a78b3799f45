namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>The system's clock, which a test may put forward; timers do not notice.</summary>
internal sealed class LeapClock : TimeProvider
{
    private long _ahead;

    public void Leap(TimeSpan by) => Interlocked.Add(ref _ahead, by.Ticks);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => GetUtcNow().Ticks;

    public override DateTimeOffset GetUtcNow() => base.GetUtcNow().AddTicks(Interlocked.Read(ref _ahead));
}
