namespace Ambrosia.LogStore.Errors;

/// <summary>Exit codes of a process that its log forced to stop; stable, so that an orchestrator can act on them.</summary>
public enum LogExitCode
{
    /// <summary>Bytes on the store are damaged or missing: a person must decide (IC-2001 to IC-2016, IC-2032, IC-2036).</summary>
    Damaged = 40,

    /// <summary>The device refused a write, sync or read (IC-2030, IC-2031): a restart replays what is readable.</summary>
    DeviceFailed = 41,

    /// <summary>The store cannot be used as configured (IC-2040 to IC-2043, IC-5001).</summary>
    NotUsable = 42,

    /// <summary>The right to append is lost or cannot be proved (IC-3001 to IC-3005, IC-3015).</summary>
    LeaseLost = 43,
}
