namespace Ambrosia.Primitives.Errors;

/// <summary>IC-211x: outputs that wait for their destination.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class OutputErrors
{
    public static ErrorCode ScratchFileShort { get; } = new(
        2110, "scratch file too short", ExitCode.DeviceFailed,
        meaning: "A scratch file (spilled output) is shorter than it was.",
        safe: "the log is not affected",
        advice: "restart: replay makes the outputs again");

    public static ErrorCode HeldAtBothLimits { get; } = new(
        2111, "held at both limits", exit: null,
        meaning: "Held at both limits for longer than `--watchdog`: the app waits for the named instances to take what it sends "
            + "(`--max-spill`), and what arrives waits for the app (`--max-lag`).",
        safe: "nothing is lost",
        advice: "see whether they run; if they wait for this instance in turn, restart it with a larger `--max-spill`");

    public static ErrorCode DestinationShareUsed { get; } = new(
        2112, "app waits for a destination", exit: null,
        meaning: "The app waits: what it has sent to the named destination uses up that one's share of `--max-spill`.",
        safe: "nothing is lost; it goes on when some of that was taken",
        advice: "start the destination, or restart this instance with a larger `--max-spill`");

    public static ErrorCode OutputsDropped { get; } = new(
        2113, "outputs dropped", exit: null,
        meaning: "The named destination was away for longer than `--drop-outputs-after` while the app waited for it: what waited "
            + "for it was dropped.",
        safe: "the messages stand in the named file; everything else goes on",
        advice: "start the destination, or let nothing send to it any more; `ambrosia deadletters dropped NAME` lists what is "
            + "kept");

    public static ErrorCode PeerDropped { get; } = new(
        2114, "peer has dropped messages for this instance", exit: null,
        meaning: "The named sender has dropped messages while this instance was away. They will never come.",
        safe: "that is logged, and what follows is executed",
        advice: "whether these messages matter only a person can tell: the sender keeps them");

    public static ErrorCode CannotDropOutputs { get; } = new(
        2115, "outputs cannot be dropped", exit: null,
        meaning: "Outputs cannot be dropped, because they cannot be kept.",
        safe: "nothing is lost; the app waits",
        advice: "make room where `--dropped-outputs` lies; it is tried again");

    /// <summary>All of them, by number.</summary>
    public static IReadOnlyList<ErrorCode> All { get; } =
    [
        ScratchFileShort, HeldAtBothLimits, DestinationShareUsed, OutputsDropped, PeerDropped, CannotDropOutputs,
    ];
}
