namespace Ambrosia.Runtime;

/// <summary>What kind of message a turn executes.</summary>
internal enum TurnCause
{
    /// <summary>A call, fork or impulse of a method.</summary>
    Call,

    /// <summary>The reply to a call of this immortal.</summary>
    Reply,

    /// <summary>A timer that fires.</summary>
    Timer,

    /// <summary>The outcome of an effect, or a note about one.</summary>
    Effect,

    /// <summary>A step of a schedule.</summary>
    Schedule,

    /// <summary>An awakeable was completed.</summary>
    Awakeable,
}
