namespace Ambrosia.Coordinator.Operations;

/// <summary>The body of <c>GET /deadletters</c>.</summary>
public sealed record DeadLettersStatus
{
    /// <summary>Why the instance is on hold; empty if it is not.</summary>
    public string Hold { get; init; } = "";

    /// <summary>Message or range in which the app died last; empty if there is none.</summary>
    public string Suspect { get; init; } = "";

    /// <summary>What the app is stuck in; empty while it moves.</summary>
    public string Stuck { get; init; } = "";

    /// <summary>Position of that message, as <c>17:3</c>; empty if nobody knows which it is.</summary>
    public string StuckAt { get; init; } = "";

    /// <summary>Quarantined messages.</summary>
    public IReadOnlyList<DeadLetterStatus> Letters { get; init; } = [];
}
