namespace Ambrosia.Coordinator.Operations;

/// <summary>What the app said that it waits for, between two records (docs/internals/protocol.md 5.8).</summary>
public sealed record WaitingStatus
{
    /// <summary>False if the app does not say, or did not answer in time: then the rest is empty.</summary>
    public bool Told { get; init; }

    /// <summary>Why it is not told; empty if it is.</summary>
    public string Reason { get; init; } = "";

    /// <summary>The record after which it is so.</summary>
    public ulong Lsn { get; init; }

    /// <summary>Calls that await their replies.</summary>
    public long Calls { get; init; }

    /// <summary>The oldest of them, at most 100.</summary>
    public IReadOnlyList<WaitingCallStatus> OldestCalls { get; init; } = [];

    /// <summary>Awakeables that are open.</summary>
    public long Awakeables { get; init; }

    /// <summary>The oldest of them, at most 100. Their ids, which complete them, are told to nobody.</summary>
    public IReadOnlyList<WaitingAwakeableStatus> OldestAwakeables { get; init; } = [];

    /// <summary>Timers that have not fired; those of deadlines and time-outs are among them.</summary>
    public long Timers { get; init; }

    /// <summary>The oldest of them, at most 100.</summary>
    public IReadOnlyList<WaitingTimerStatus> OldestTimers { get; init; } = [];
}
