namespace Ambrosia.Coordinator.Operations;

/// <summary>A timer that has not fired.</summary>
public sealed record WaitingTimerStatus
{
    /// <summary>Its id; later timers have larger ones.</summary>
    public long Id { get; init; }

    /// <summary>Log time at which it is due.</summary>
    public DateTimeOffset Due { get; init; }

    /// <summary>The suspended methods that await it, outermost first; empty if none does.</summary>
    public string AwaitedBy { get; init; } = "";
}
