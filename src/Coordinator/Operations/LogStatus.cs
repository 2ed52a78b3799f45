namespace Ambrosia.Coordinator.Operations;

/// <summary>State of the log.</summary>
public sealed record LogStatus
{
    /// <summary>Last record on stable storage.</summary>
    public ulong DurableLsn { get; init; }

    /// <summary>Bytes logged since the newest checkpoint: what a recovery would replay.</summary>
    public long BytesSinceCheckpoint { get; init; }
}
