namespace Ambrosia.LogStore.Tests.Support;

/// <summary>Clocks that a test moves.</summary>
public sealed class ManualTime : TimeProvider
{
    private long _ticks = new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero).UtcTicks;
    private long _wallOffset;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override DateTimeOffset GetUtcNow() => new(Interlocked.Read(ref _ticks) + Interlocked.Read(ref _wallOffset), TimeSpan.Zero);

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    /// <summary>Time passes.</summary>
    public void Advance(TimeSpan by) => Interlocked.Add(ref _ticks, by.Ticks);

    /// <summary>Somebody sets the wall clock.</summary>
    public void SetWall(TimeSpan by) => Interlocked.Add(ref _wallOffset, by.Ticks);
}
