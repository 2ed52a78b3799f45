namespace Ambrosia.Coordinator.Operations;

/// <summary>What the app told about the effects of one method (docs/guide/effects.md), at most a second ago.</summary>
public sealed record EffectStatus
{
    /// <summary>Interface and method.</summary>
    public string Method { get; init; } = "";

    /// <summary>Effects that have no outcome.</summary>
    public long Pending { get; init; }

    /// <summary>Those of them that are not performed, since they ended too many processes.</summary>
    public long Held { get; init; }

    /// <summary>Attempts that run.</summary>
    public long Running { get; init; }

    /// <summary>Attempts since the app became the one that acts.</summary>
    public long Attempts { get; init; }

    /// <summary>How many of them failed.</summary>
    public long Failures { get; init; }

    /// <summary>Key of the pending effect that was asked for first, as <c>17:3:0</c>; empty if none is pending.</summary>
    public string Oldest { get; init; } = "";

    /// <summary>Seconds since it was asked for; 0 if none is pending.</summary>
    public double OldestSeconds { get; init; }

    /// <summary>Why the last attempt failed; empty if none did, or none is pending.</summary>
    public string LastError { get; init; } = "";
}
