namespace Ambrosia.Primitives.Errors;

/// <summary>
/// How a coordinator's process ended; stable, so that an orchestrator can act on it. <see cref="ExitCodes"/> says more of each.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum ExitCode
{
    /// <summary>It was asked to stop: a signal, a drain request, its owner's end.</summary>
    Stopped = 0,

    /// <summary>The app ended and the policy is to end with it.</summary>
    AppGone = 30,

    /// <summary>The replay of the app did not match its log: nothing was sent. A person must decide.</summary>
    Diverged = 31,

    /// <summary>Bytes on the store are damaged or missing, or must not be used: a person must decide.</summary>
    StoreDamaged = 40,

    /// <summary>The device refused a write, sync or read. A restart replays what is readable.</summary>
    DeviceFailed = 41,

    /// <summary>The store cannot be used as configured.</summary>
    StoreNotUsable = 42,

    /// <summary>The right to append is lost or cannot be proved, or a replica has to begin again.</summary>
    LeaseLost = 43,

    /// <summary>Options, environment or configuration file are wrong. A restart changes nothing.</summary>
    Configuration = 64,

    /// <summary>An address or socket could not be used. A restart may help.</summary>
    AddressUnavailable = 69,

    /// <summary>A mistake of the coordinator itself. A restart recovers from the log.</summary>
    Internal = 70,

    /// <summary>Another process has this replica's number. A restart helps once that one has ended.</summary>
    NumberTaken = 75,
}
