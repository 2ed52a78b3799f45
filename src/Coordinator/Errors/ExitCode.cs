namespace Ambrosia.Coordinator.Errors;

/// <summary>How a coordinator's process ended; stable, so that an orchestrator can act on it. The log's own codes (40 to 43) pass through.</summary>
public enum ExitCode
{
    /// <summary>It was asked to stop: a signal, a drain request, its owner's end.</summary>
    Stopped = 0,

    /// <summary>Options, environment or configuration file are wrong (IC-10xx in errors.md). A restart changes nothing.</summary>
    Configuration = 64,

    /// <summary>An address or socket could not be used (IC-1010 and after). A restart may help.</summary>
    AddressUnavailable = 69,

    /// <summary>A mistake of the coordinator itself. A restart recovers from the log.</summary>
    Internal = 70,

    /// <summary>Another process has this replica's number (IC-3006). A restart helps once that one has ended.</summary>
    NumberTaken = 75,

    /// <summary>The app ended and the policy is to end with it.</summary>
    AppGone = 30,

    /// <summary>The replay of the app did not match its log: nothing was sent. A person must decide.</summary>
    Diverged = 31,

    /// <summary>The store's bytes are damaged: as the log store says.</summary>
    StoreDamaged = 40,

    /// <summary>The device refused a write, sync or read: as the log store says.</summary>
    DeviceFailed = 41,

    /// <summary>The store cannot be used as configured: as the log store says.</summary>
    StoreNotUsable = 42,

    /// <summary>The right to append is lost: as the log store says.</summary>
    LeaseLost = 43,
}
