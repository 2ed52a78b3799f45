namespace Ambrosia.Primitives.Errors;

/// <summary>IC-60xx: replays that differ from the log.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ReplayErrors
{
    public static ErrorCode Diverged { get; } = new(
        6001, "replay diverged", ExitCode.Diverged,
        meaning: "Replay diverged: a record led to other outputs than the first time, or to other contents if "
            + "`--on-content-divergence stop` says so.",
        safe: "the log is intact; nothing was sent, and `BecomingPrimary` was not called",
        advice: "run the build that wrote the log, or find what is not deterministic; other contents alone are only reported "
            + "without that option");

    public static ErrorCode FewerThanPeerLogged { get; } = new(
        6002, "replay diverged: fewer messages than a peer logged", ExitCode.Diverged,
        meaning: "Replay diverged: fewer messages to a peer than it has logged. Either the app is not deterministic, or the "
            + "folder is an older copy.",
        safe: "the log is intact; nothing more is sent to that peer",
        advice: "if the folder is an older copy, restore the newest; else run the build that wrote the log, or find what is not "
            + "deterministic");

    public static ErrorCode ContentsDiffered { get; } = new(
        6003, "replay sent other contents", exit: null,
        meaning: "A replay sent as many messages to the same destinations as the first time, with other contents.",
        safe: "the log is intact; what was logged first counts",
        advice: "find what is not deterministic; two messages to one destination that change places are lost and doubled without "
            + "a count that shows it. `--on-content-divergence stop` ends the instance with IC-6001 instead. The line is "
            + "written for the 1st, 10th, 100th and then each 1,000th such record since the start; "
            + "`ambrosia_replay_contents_differed_total` counts all");

    public static ErrorCode DestinationClaimsMore { get; } = new(
        6004, "destination claims messages never sent", exit: null,
        meaning: "A destination claims to have more messages of this instance than its log brings forth, and nothing else says "
            + "that this log is an older copy. With that (the catalog names another life in this epoch or a later one) it is "
            + "IC-6002.",
        safe: "nothing is sent to that destination; everything else goes on",
        advice: "compare both logs with `ambrosia log verify --peer`. If this instance's folder is an older copy, stop it at "
            + "once and restore the newest: each message that it sends there meanwhile gets the number of a lost one. Else the "
            + "destination is wrong");

    /// <summary>All of them, by number.</summary>
    public static IReadOnlyList<ErrorCode> All { get; } =
    [
        Diverged, FewerThanPeerLogged, ContentsDiffered, DestinationClaimsMore,
    ];
}
