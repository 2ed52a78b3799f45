namespace Ambrosia.Client.Tests;

/// <summary>A clock that a test sets.</summary>
internal sealed class ManualTime : TimeProvider
{
    public TimeSpan Passed { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Passed.Ticks;

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch + TimeSpan.FromDays(20_000) + Passed;
}
