namespace Ambrosia.TimeTravel.Debugging;

/// <summary>How a journey through a log is made.</summary>
public sealed record TravelOptions
{
    /// <summary>
    /// LSN of the checkpoint to begin at; null for the oldest that is kept. 0, or a log without checkpoints, begins with a fresh object
    /// and record 1.
    /// </summary>
    public ulong? Checkpoint { get; init; }

    /// <summary>Bytes of memory for states taken on the way. Default 256 MiB.</summary>
    public long CacheBytes { get; init; } = 256L << 20;

    /// <summary>Clock, for deciding when taking a state on the way is worth it. Default: the system's.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;
}
