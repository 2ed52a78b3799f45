namespace Ambrosia.Simulation.Tests;

/// <summary>What an instance is doing at the moment in which a fault hits it; where several are true, the first named.</summary>
internal enum SimState
{
    /// <summary>Its coordinator is dead.</summary>
    Down,

    /// <summary>The coordinator opens its log: lock, manifest, scan, a new epoch.</summary>
    Opening,

    /// <summary>No checkpoint yet.</summary>
    FirstStart,

    /// <summary>The log is open, no app has attached since.</summary>
    Recovering,

    /// <summary>An app is attached and replays.</summary>
    AppRestoring,

    /// <summary>The app is gone, the coordinator lives.</summary>
    AppGone,

    /// <summary>A checkpoint is being written.</summary>
    Checkpointing,

    /// <summary>A new segment is being made.</summary>
    Rolling,

    /// <summary>Asked to stop, it finishes.</summary>
    Draining,

    /// <summary>Output lies in a scratch file.</summary>
    Spilling,

    /// <summary>The app is behind the log.</summary>
    CatchingUp,

    /// <summary>There is output for an instance that is not connected.</summary>
    Reconnecting,

    /// <summary>Output is on its way, not confirmed.</summary>
    Sending,

    Idle,
}
