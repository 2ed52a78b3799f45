namespace Ambrosia.Coordinator.Operations;

/// <summary>What the app told about a saga that compensates (docs/guide/sagas.md), at most a second ago.</summary>
public sealed record CompensationStatus
{
    /// <summary>Name of the saga.</summary>
    public string Saga { get; init; } = "";

    /// <summary>The compensation that runs, or waits for its next attempt.</summary>
    public string Step { get; init; } = "";

    /// <summary>Compensations that have not succeeded, this one included.</summary>
    public long Left { get; init; }

    /// <summary>Attempts of this one that failed.</summary>
    public long Attempts { get; init; }

    /// <summary>When it is tried again; null while it runs.</summary>
    public DateTimeOffset? NextAttempt { get; init; }

    /// <summary>Why the last attempt failed; empty if none did.</summary>
    public string LastError { get; init; } = "";
}
