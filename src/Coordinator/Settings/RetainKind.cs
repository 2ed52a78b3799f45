namespace Ambrosia.Coordinator.Settings;

/// <summary>How old checkpoints and log are limited.</summary>
public enum RetainKind
{
    /// <summary>A number of checkpoints.</summary>
    Count,

    /// <summary>Bytes of log and checkpoints.</summary>
    Size,

    /// <summary>Everything is kept.</summary>
    All,
}
