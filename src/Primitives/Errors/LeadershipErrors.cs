namespace Ambrosia.Primitives.Errors;

/// <summary>IC-30xx: the right to append, and replicas.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class LeadershipErrors
{
    public static ErrorCode Fenced { get; } = new(
        3001, "fenced", ExitCode.LeaseLost,
        meaning: "Fenced: a newer epoch of this instance has the log.",
        safe: "nothing of this process is accepted any more",
        advice: "let the newer one serve");

    public static ErrorCode EpochTooOld { get; } = new(
        3002, "peer refused: old epoch", exit: null,
        meaning: "A peer was refused: its epoch is older than one that was seen of it.",
        safe: "nothing of it was logged",
        advice: "it proves its lease and ends with IC-3001 if it cannot; let the newer one serve");

    public static ErrorCode LockFileReplaced { get; } = new(
        3004, "lock file deleted or replaced", ExitCode.LeaseLost,
        meaning: "The lock file was deleted or replaced while it was held.",
        safe: "everything acknowledged before",
        advice: "restart; never delete the lock file");

    public static ErrorCode LeaseNotProved { get; } = new(
        3005, "lock or lease cannot be proved", ExitCode.LeaseLost,
        meaning: "The lock cannot be taken; or a lease could not be renewed in time, and may be another's by now.",
        safe: "everything acknowledged before",
        advice: "check the rights of this user and the file system, or whether the service answers; restart");

    public static ErrorCode ReplicaNumberTaken { get; } = new(
        3006, "replica number taken", ExitCode.NumberTaken,
        meaning: "A replica with this number runs already; the line names its process. `ambrosia run` ends with the same code.",
        safe: "the one that runs was not disturbed",
        advice: "a number of its own for each with `--replica-id`, or stop the other one");

    public static ErrorCode FellTooFarBehind { get; } = new(
        3007, "replica fell too far behind", ExitCode.LeaseLost,
        meaning: "This replica fell so far behind that the log it needs, or every checkpoint that its app could begin with, is no "
            + "longer kept.",
        safe: "the primary serves, and its log is untouched",
        advice: "start it again: it begins with the newest checkpoint");

    public static ErrorCode PrimaryEnded { get; } = new(
        3008, "silent primary was ended", exit: null,
        meaning: "The primary showed no sign of life for `--takeover-after`: a secondary ended its process and is promoted.",
        safe: "everything acknowledged; the process that was ended can do nothing any more",
        advice: "find out what stopped it: SIGSTOP, a debugger, a device that hangs");

    public static ErrorCode PrimaryOutOfReach { get; } = new(
        3009, "silent primary out of reach", exit: null,
        meaning: "The primary shows no sign of life, and its process cannot be ended from here: another user's, or in another "
            + "container.",
        safe: "nothing was changed",
        advice: "end that process where it runs");

    public static ErrorCode UpgradedMeanwhile { get; } = new(
        3010, "instance was upgraded meanwhile", ExitCode.LeaseLost,
        meaning: "The instance was upgraded, and this replica has followed as the old version.",
        safe: "the primary serves as the new version, and its log is untouched",
        advice: "start it again, with an app that knows the new version: it begins with the new version's checkpoint");

    public static ErrorCode SurvivedQuarantined { get; } = new(
        3011, "replica survived a quarantined message", ExitCode.LeaseLost,
        meaning: "This replica's app has survived a message that was then quarantined, so that it and the outputs that it holds "
            + "are of a history that never was.",
        safe: "nothing of them has left; the log is untouched",
        advice: "start it again: it begins with the newest checkpoint, without that message");

    public static ErrorCode FalselyFenced { get; } = new(
        3012, "destination calls this instance fenced", exit: null,
        meaning: "A destination says that this instance is fenced, but its lease is proved, and the catalog knows of no successor.",
        safe: "nothing is sent to that destination; everything else goes on",
        advice: "find out whether the destination lies, or whether a copy of this instance runs elsewhere");

    public static ErrorCode HeldByAnother { get; } = new(
        3013, "instance held by another process", exit: null,
        meaning: "The instance is held by another process, which the line names, with the process that has started it.",
        safe: "that process goes on; this one waits, and serves when that one ends",
        advice: "stop one of the two, or name another instance; to go on here, `ambrosia move` or `--take-over`");

    public static ErrorCode BuildChanged { get; } = new(
        3014, "another build executes the log", ExitCode.LeaseLost,
        meaning: "The primary's app is of another build now, and this replica began before that: its app has executed, or "
            + "compared, what another build executes.",
        safe: "the primary serves, and its log is untouched",
        advice: "start it again, best with the app of that build: it begins with that build's checkpoint "
        + "([builds.md](../guide/builds.md))");

    public static ErrorCode LeaseForgotten { get; } = new(
        3015, "service has forgotten the lease", ExitCode.LeaseLost,
        meaning: "The service (Azure) has forgotten this process's lease, such as an emulator that was restarted or a lease that "
            + "was broken by hand, and nobody else has taken it.",
        safe: "everything acknowledged; nothing was appended since",
        advice: "restart: it takes a new lease");

    public static ErrorCode OtherLogBefore { get; } = new(
        3016, "catalog named another log before", exit: null,
        meaning: "The catalog named another log for this instance until now: a wrong `--store` began a second life, or the "
            + "instance begins anew after its log was lost.",
        safe: "the other log was not touched; what peers send from here on comes to this one, and the other one can then no "
            + "longer go on with them (IC-2020)",
        advice: "if the other log still exists, stop this process at once, before peers have sent to it, and start with the "
            + "right `--store`; `--start recover` refuses to begin anew");

    /// <summary>All of them, by number.</summary>
    public static IReadOnlyList<ErrorCode> All { get; } =
    [
        Fenced, EpochTooOld, LockFileReplaced, LeaseNotProved, ReplicaNumberTaken, FellTooFarBehind, PrimaryEnded,
        PrimaryOutOfReach, UpgradedMeanwhile, SurvivedQuarantined, FalselyFenced, HeldByAnother, BuildChanged, LeaseForgotten,
        OtherLogBefore,
    ];
}
