namespace Ambrosia;

/// <summary>Exit codes of an app that runs by <see cref="Immortal.RunAsync{T}"/> (the numbers of sysexits.h).</summary>
public enum AppExitCode
{
    /// <summary>It was asked to stop and did.</summary>
    Stopped = 0,

    /// <summary>
    /// The coordinator that the app started found that a replay differs from the log: a person must decide (IC-6001, IC-6002).
    /// </summary>
    Diverged = 31,

    /// <summary>The coordinator that the app started found its log damaged (IC-2001 and after): a person must decide.</summary>
    StoreDamaged = 40,

    /// <summary>The coordinator that the app started cannot use the store as it is set up.</summary>
    StoreNotUsable = 42,

    /// <summary>An option is wrong; the text says which.</summary>
    Usage = 64,

    /// <summary>No coordinator could be reached or started, or it refused the app.</summary>
    Unavailable = 69,

    /// <summary>
    /// The app cannot go on by itself: a handler failed under <c>--on-fault stop</c>, a checkpoint is damaged, the coordinator broke the
    /// protocol.
    /// </summary>
    Failed = 70,

    /// <summary>The coordinator is gone. Nothing is lost: start the app again.</summary>
    CoordinatorLost = 75,

    /// <summary>Another app has taken this one's place (docs/guide/upgrade.md). It must not be started again.</summary>
    Replaced = 76,

    /// <summary>It was to take another app's place and did not; that one goes on serving.</summary>
    UpgradeFailed = 77,

    /// <summary>This build does not fit the log (docs/guide/builds.md). It must not be started again as it is.</summary>
    BuildRefused = 78,
}
