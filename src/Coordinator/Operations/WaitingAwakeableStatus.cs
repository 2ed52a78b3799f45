namespace Ambrosia.Coordinator.Operations;

/// <summary>An awakeable that is open.</summary>
public sealed record WaitingAwakeableStatus
{
    /// <summary>Its number, one of those of calls. It completes nothing.</summary>
    public long Number { get; init; }

    /// <summary>Full name of the type of its value.</summary>
    public string Type { get; init; } = "";

    /// <summary>Log time at which it ends; null if it has no deadline.</summary>
    public DateTimeOffset? Deadline { get; init; }

    /// <summary>Log time of the turn that opened it; null if that is not known.</summary>
    public DateTimeOffset? Since { get; init; }

    /// <summary>The message whose turn opened it, as <c>17:3</c>; empty if that is not known.</summary>
    public string Message { get; init; } = "";

    /// <summary>The suspended methods that await it, outermost first; empty if none does.</summary>
    public string AwaitedBy { get; init; } = "";
}
