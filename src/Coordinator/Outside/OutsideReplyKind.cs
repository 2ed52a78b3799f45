namespace Ambrosia.Coordinator.Outside;

/// <summary>What its caller is told of a call from outside (outside-calls.md, "What a caller is told").</summary>
public enum OutsideReplyKind
{
    /// <summary>The answer: a result or an exception. Final.</summary>
    Answer,

    /// <summary>It is durable, and its answer is not there yet. Not final: ask on.</summary>
    Accepted,

    /// <summary>A call with this key had another method, kind of content, body or time. Final.</summary>
    OtherBody,

    /// <summary>Its key was made before the horizon and is not kept: it may have run. Final.</summary>
    Forgotten,

    /// <summary>Its caller has said that it is done with it. Final.</summary>
    Acknowledged,

    /// <summary>Its key was made in the future. Not final.</summary>
    Future,

    /// <summary>The share of its caller is used up. Not final.</summary>
    Full,

    /// <summary>This process does not serve, or no longer: try again, maybe elsewhere. Not final.</summary>
    Unavailable,

    /// <summary>Asked by its key only: no call with it has run. A copy may still come.</summary>
    Unknown,

    /// <summary>A call without a key whose answer was lost with a process: it may have run. Final.</summary>
    Lost,
}
