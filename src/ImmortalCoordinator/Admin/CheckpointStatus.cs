namespace Ambrosia.ImmortalCoordinator.Admin;

/// <summary>State of the checkpoints.</summary>
public sealed record CheckpointStatus
{
    /// <summary>LSN of the newest one; 0 when there is none.</summary>
    public ulong NewestLsn { get; init; }

    /// <summary>Bytes of the newest one.</summary>
    public long NewestBytes { get; init; }

    /// <summary>True while one is being taken.</summary>
    public bool InProgress { get; init; }

    /// <summary>Checkpoints taken by this process.</summary>
    public long Taken { get; init; }
}
