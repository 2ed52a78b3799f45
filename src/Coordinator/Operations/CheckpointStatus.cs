namespace Ambrosia.Coordinator.Operations;

/// <summary>State of the checkpoints.</summary>
public sealed record CheckpointStatus
{
    /// <summary>LSN of the newest one that this process began with, took or adopted; 0 when there is none.</summary>
    public ulong NewestLsn { get; init; }

    /// <summary>Bytes of the newest one.</summary>
    public long NewestBytes { get; init; }

    /// <summary>Checkpoints taken by this process.</summary>
    public long Taken { get; init; }
}
