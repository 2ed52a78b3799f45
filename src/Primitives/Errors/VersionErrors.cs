namespace Ambrosia.Primitives.Errors;

/// <summary>IC-50xx: versions of the app, and builds.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class VersionErrors
{
    public static ErrorCode FormatTooNew { get; } = new(
        5001, "format that this build does not read", ExitCode.StoreNotUsable,
        meaning: "A file has a format that this build does not read.",
        safe: "the file is untouched",
        advice: "start a build that knows it");

    public static ErrorCode ConversionMissing { get; } = new(
        5002, "app refused: conversion missing", exit: null,
        meaning: "The app was refused: an older checkpoint has to be used, from before an upgrade, and the app has no conversion "
            + "for it.",
        safe: "log and checkpoints were not touched",
        advice: "start the app that has the conversion: [upgrade.md](../guide/upgrade.md)");

    public static ErrorCode UpgradeFailed { get; } = new(
        5003, "upgrade failed", exit: null,
        meaning: "An upgrade failed, for the reason given.",
        safe: "the old version serves, or can be started again",
        advice: "correct what the reason names, and try again");

    public static ErrorCode CannotTakeOver { get; } = new(
        5004, "app refused: cannot replace the attached app now", exit: null,
        meaning: "An app that was to replace the attached one was refused: another is about to do so already, this replica only follows, "
            + "the app that serves speaks the published protocol, or the instance was just made and has no checkpoint yet.",
        safe: "nothing was changed",
        advice: "wait for that one, or a moment; or attach to the primary's coordinator (`ambrosia upgrade` does)");

    public static ErrorCode BuildRefused { get; } = new(
        5005, "build does not fit the log", exit: null,
        meaning: "A build does not fit the log, and its app ends with 78: something that was saved has no place in it, or "
            + "messages that were executed would be executed by other code. The text names them.",
        safe: "nothing was sent or changed; the build that wrote the log still runs on it",
        advice: "one of the ways that the text names: [builds.md](../guide/builds.md). Do not start the same build again");

    public static ErrorCode CannotResume { get; } = new(
        5006, "saved state cannot be built up again", exit: null,
        meaning: "A saved state cannot be built up again by this build, and its app ends with 78: a method with suspended calls "
            + "was changed, a type or the target of a delegate is gone, or keys or items of a collection are equal now that "
            + "were not. The text names each.",
        safe: "nothing was sent or changed; the build that wrote the state still runs on it",
        advice: "start that build, or bring back what the text names; for suspended calls `[Continues]`: [builds.md](../guide/builds.md). "
            + "Do not start the same build again");

    /// <summary>All of them, by number.</summary>
    public static IReadOnlyList<ErrorCode> All { get; } =
    [
        FormatTooNew, ConversionMissing, UpgradeFailed, CannotTakeOver, BuildRefused, CannotResume,
    ];
}
