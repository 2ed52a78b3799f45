namespace Ambrosia.Telemetry;

/// <summary>What an immortal of this process does at the moment.</summary>
internal enum ServingPhase
{
    /// <summary>It waits for its coordinator for the first time.</summary>
    Starting,

    /// <summary>No coordinator accepts it, or the one that did is gone; it tries again.</summary>
    Unreachable,

    /// <summary>It is attached, and the log is executed again.</summary>
    Recovering,

    /// <summary>It is attached, and follows the primary.</summary>
    Replica,

    /// <summary>It acts.</summary>
    Serving,

    /// <summary>It has ended and is not started again in this process.</summary>
    Ended,

    /// <summary>This process was started for another immortal of the same host.</summary>
    Elsewhere,
}
