namespace Ambrosia.Coordinator.Serving;

/// <summary>What a coordinator is for its instance at a moment. architecture.md#roles has the changes between them.</summary>
public enum ReplicaRole
{
    /// <summary>It opens its log, or waits for the right to append or to follow.</summary>
    Starting,

    /// <summary>It serves an instance that has no checkpoint yet: the app makes the first one.</summary>
    FirstStart,

    /// <summary>It has the right to append; the app is about to get checkpoint and log.</summary>
    Recovering,

    /// <summary>It has the right to append, and no app.</summary>
    WaitingForApp,

    /// <summary>Its app acts.</summary>
    Primary,

    /// <summary>It follows the log of another process.</summary>
    Secondary,

    /// <summary>It follows the log, and takes the checkpoints.</summary>
    Checkpointer,

    /// <summary>It stops.</summary>
    Draining,
}
