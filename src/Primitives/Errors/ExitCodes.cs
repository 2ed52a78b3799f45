namespace Ambrosia.Primitives.Errors;

/// <summary>What each <see cref="ExitCode"/> means, and whether a restart helps.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ExitCodes
{
    /// <summary>By number.</summary>
    public static IReadOnlyList<ExitCodeMeaning> All { get; } =
    [
        new(ExitCode.Stopped, "It was asked to stop: a signal, `POST /drain`, the end of its owner.", "as you like"),
        new(ExitCode.AppGone, "The app ended, and `--on-app-exit stop` says to end with it.", "yes, both"),
        new(ExitCode.Diverged, "Replaying the log through the app gave other outputs than before. Nothing was sent.", "no"),
        new(
            ExitCode.StoreDamaged,
            "Bytes of the log or of all checkpoints are damaged or missing, or the checkpoint to begin with must not be used. "
            + "Nothing was cut or "
            + "written.",
            "no"),
        new(ExitCode.DeviceFailed, "The device refused a write, a sync or a read. Nothing that was not durable was acknowledged.", "yes"),
        new(ExitCode.StoreNotUsable, "The store or catalog cannot be used as configured.", "no"),
        new(
            ExitCode.LeaseLost,
            "The right to append is lost or cannot be proved: a newer holder has the log, or the service has forgotten the lease. "
            + "Or a replica "
            + "has to begin again with the newest checkpoint.",
            "yes (it waits)"),
        new(ExitCode.Configuration, "Options, environment or configuration file are wrong.", "no"),
        new(ExitCode.AddressUnavailable, "An address or socket cannot be used.", "yes"),
        new(ExitCode.Internal, "A mistake in the coordinator.", "yes"),
        new(ExitCode.NumberTaken, "Another process has this replica's number.", "yes, it helps once that one has ended"),
    ];

    /// <summary>What this one means.</summary>
    public static ExitCodeMeaning Of(ExitCode code) => All.First(each => each.Code == code);
}
