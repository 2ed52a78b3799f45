namespace Ambrosia.Primitives.Errors;

/// <summary>IC-20xx and IC-2102: log, checkpoints, catalog.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class StoreErrors
{
    public static ErrorCode LogCorrupt { get; } = new(
        2001, "log corrupt", ExitCode.StoreDamaged,
        meaning: "A record or segment header before the end of the log is damaged.",
        safe: "the records up to the LSN that the line names",
        advice: "restore the folder from a copy; never delete the segment");

    public static ErrorCode SegmentTooShort { get; } = new(
        2003, "sealed segment too short", ExitCode.StoreDamaged,
        meaning: "A sealed segment ends too early.",
        safe: "the records up to the LSN that the line names",
        advice: "restore the segment from a copy");

    public static ErrorCode SegmentMissing { get; } = new(
        2004, "segment missing", ExitCode.StoreDamaged,
        meaning: "A segment is missing: between others, before the checkpoint to begin with, or the newest, of which manifest or "
            + "checkpoints know.",
        safe: "the records up to the LSN that the line names",
        advice: "put the file back");

    public static ErrorCode CheckpointBeyondLog { get; } = new(
        2005, "checkpoint beyond the end of the log", ExitCode.StoreDamaged,
        meaning: "A checkpoint lies beyond the end of the log: the end of the log is lost, or the checkpoint is from elsewhere.",
        safe: "nothing was changed",
        advice: "put the missing segments back");

    public static ErrorCode LogOfAnother { get; } = new(
        2006, "log or checkpoint of another instance", ExitCode.StoreNotUsable,
        meaning: "Log or checkpoint belong to another instance, cluster or incarnation.",
        safe: "nothing was changed",
        advice: "check `--store`, `--instance-name`, `--cluster`; do not mix folders");

    public static ErrorCode OldLogMissing { get; } = new(
        2007, "oldest retained log missing", exit: null,
        meaning: "The oldest log that retention keeps is missing: the log begins after what a kept checkpoint needs, or begins "
            + "late and has one checkpoint only. A start warns of it; `ambrosia log verify`, `checkpoint verify` and `doctor` "
            + "call it damage.",
        safe: "newer checkpoints and the log after them",
        advice: "put the files back from a copy; the next checkpoint makes up for it, and until then there is less to fall back "
            + "on",
        exitIfFatal: ExitCode.StoreDamaged);

    public static ErrorCode ManifestUnusable { get; } = new(
        2010, "copy of the manifest unusable", exit: null,
        meaning: "A copy of the manifest is unusable: the other one is used, or, if both are, what the folder holds.",
        safe: "log and checkpoints were found",
        advice: "check the device");

    public static ErrorCode CheckpointDamaged { get; } = new(
        2011, "checkpoint damaged or gone", exit: null,
        meaning: "A checkpoint is damaged or gone; an older one, or the log's beginning, is used. It counts for nothing any more. "
            + "The primary makes a new one at once, and older log stays until two good ones are there.",
        safe: "older checkpoints and the log",
        advice: "keep the file for analysis; check the device",
        exitIfFatal: ExitCode.StoreDamaged);

    public static ErrorCode NoUsableCheckpoint { get; } = new(
        2012, "no usable checkpoint", ExitCode.StoreDamaged,
        meaning: "No checkpoint can be used, and the log does not reach back to its beginning.",
        safe: "the log was not touched",
        advice: "restore a checkpoint from a copy");

    public static ErrorCode NoFittingCheckpoint { get; } = new(
        2013, "no checkpoint that fits the log", ExitCode.StoreDamaged,
        meaning: "Checkpoints exist but none is left that fits the log.",
        safe: "the log was not touched",
        advice: "restore the checkpoints folder from a copy");

    public static ErrorCode CheckpointOfNewerBuild { get; } = new(
        2014, "checkpoint that this build cannot read", ExitCode.StoreDamaged,
        meaning: "A checkpoint is intact and none that this build can read: most likely a newer build wrote it.",
        safe: "nothing was changed",
        advice: "start the build that wrote it; or put the file aside: an older checkpoint is used then");

    public static ErrorCode CheckpointReleased { get; } = new(
        2015, "checkpoint released while it was read", ExitCode.DeviceFailed,
        meaning: "A checkpoint was released, or replaced by another attempt at the same record, while it was read; a store that "
            + "is a service keeps it for no reader. If an app was to begin with it, the app begins again and the coordinator "
            + "stays.",
        safe: "newer checkpoints and the log",
        advice: "start again: it begins with the newest checkpoint");

    public static ErrorCode CheckpointHasQuarantined { get; } = new(
        2016, "checkpoint contains a quarantined message", ExitCode.StoreDamaged,
        meaning: "The checkpoint to begin with contains a message that was quarantined, so that its state never was: a build from "
            + "before [this rule](../internals/quarantine.md#checkpoints-and-decisions-beside-replicas) made it beside a primary "
            + "that was just "
            + "deciding.",
        safe: "nothing was changed, the log is untouched",
        advice: "put that checkpoint's file aside: an older one and the log after it are used then");

    public static ErrorCode PeerFellBack { get; } = new(
        2020, "peer fell back behind what it confirmed", exit: null,
        meaning: "A peer is behind what it had confirmed: its log was rolled back, its folder is an old copy, or its store has "
            + "forgotten the end. Nothing is sent to it. `ambrosia log verify` says the same of an instance whose log holds "
            + "less than a peer's log knows.",
        safe: "this instance and all other peers",
        advice: "restore the peer's newest folder");

    public static ErrorCode DeviceCannotRead { get; } = new(
        2030, "device cannot read", ExitCode.DeviceFailed,
        meaning: "The device cannot read bytes that are there, after several attempts.",
        safe: "nothing was cut",
        advice: "check the device; copy the folder while it can be read");

    public static ErrorCode WriteFailed { get; } = new(
        2031, "write or sync failed", ExitCode.DeviceFailed,
        meaning: "A write or sync failed. It is never tried again on the same file.",
        safe: "everything acknowledged before",
        advice: "check the device and its free space; restart");

    public static ErrorCode FileReplaced { get; } = new(
        2032, "file of the log deleted or replaced", ExitCode.StoreDamaged,
        meaning: "The log's file was deleted or replaced while it was written. It is looked at each second.",
        safe: "the files before it, and checkpoints",
        advice: "do not start again without it: put the file back, or restore a copy of all instances of one instant; keep other "
            + "programs out of the folder");

    public static ErrorCode RecordUnreadable { get; } = new(
        2033, "durable record unreadable", ExitCode.StoreDamaged,
        meaning: "A record that was durable cannot be read again for the app.",
        safe: "nothing was acknowledged that is not in the log",
        advice: "restart: recovery examines the log");

    public static ErrorCode CannotOpenLog { get; } = new(
        2034, "log cannot be opened", ExitCode.DeviceFailed,
        meaning: "The log cannot be opened: the line names call and reason.",
        safe: "the log was not touched",
        advice: "check the rights of this user, free space, and whether the volume is read-only; EMFILE and ENFILE: raise the "
            + "limit of open files (`LimitNOFILE=`)");

    public static ErrorCode StoreSilent { get; } = new(
        2035, "store does not answer", ExitCode.DeviceFailed,
        meaning: "A store that is a service did not answer, for twice the time of its lease.",
        safe: "everything acknowledged before",
        advice: "see whether the service runs and can be reached from this machine; restart");

    public static ErrorCode StoreForgot { get; } = new(
        2036, "store has forgotten what it confirmed", ExitCode.StoreDamaged,
        meaning: "The store has forgotten what it had confirmed to this very process: it was restarted without it or set back, or "
            + "somebody has shortened a file. The line names the records.",
        safe: "what is left; nothing was acknowledged since",
        advice: "do not start again, the instance would go on without them while its peers have their effects. Restore the store "
            + "as it was last, or a copy of all instances of one instant ([backing up](backup.md))");

    public static ErrorCode UnknownStore { get; } = new(
        2040, "unknown kind of store or catalog", ExitCode.StoreNotUsable,
        meaning: "No such kind of store or catalog, or a URI without path.",
        safe: "nothing was touched",
        advice: "`file:/path`, `postgres://user@host/database`, `azblob://...` for a store, `aztable://...` for a catalog, or "
            + "`memory:`; a catalog also `dns:{instance}.domain:port`");

    public static ErrorCode BadInstanceName { get; } = new(
        2041, "not an instance name", ExitCode.StoreNotUsable,
        meaning: "Not an instance name, or one that cannot be a part of a host name (`dns:` catalog).",
        safe: "nothing was touched",
        advice: "1 to 63 letters, digits, '.', '_' or '-'; in host names small letters, digits and '-'");

    public static ErrorCode NetworkFileSystem { get; } = new(
        2042, "store on a network file system", ExitCode.StoreNotUsable,
        meaning: "The store lies on a network file system.",
        safe: "nothing was touched",
        advice: "a local disk; or `--allow-network-filesystem` if its locks and syncs are known to hold");

    public static ErrorCode FileStoresUnsupported { get; } = new(
        2043, "file stores not supported here", ExitCode.StoreNotUsable,
        meaning: "File stores need Linux, Windows or macOS.",
        safe: "nothing was touched",
        advice: "run on Linux, or in a Linux container");

    public static ErrorCode NoLogThere { get; } = new(
        2044, "no log in this folder", ExitCode.StoreNotUsable,
        meaning: "The folder named for reading holds no log.",
        safe: "nothing was touched",
        advice: "name the folder of one instance: the one with `log/` and `checkpoints/`");

    public static ErrorCode StoreRefuses { get; } = new(
        2045, "store refuses access", ExitCode.StoreNotUsable,
        meaning: "The service refuses: user, password, database, account, container, rights; or the secret cannot be read, or is "
            + "none.",
        safe: "nothing was changed by what was refused",
        advice: "correct what the line names");

    public static ErrorCode BadStoreUri { get; } = new(
        2046, "store's or catalog's URI unusable", ExitCode.StoreNotUsable,
        meaning: "The URI of a store or catalog cannot be used: a part is missing or unknown, or it holds a secret. The line does "
            + "not repeat it.",
        safe: "nothing was touched",
        advice: "write it [like this](stores.md#postgresql) or [like this](stores.md#azure); secrets come from the "
            + "environment or a file");

    public static ErrorCode ServerMayForget { get; } = new(
        2047, "database setting that may lose data", ExitCode.StoreNotUsable,
        meaning: "The database server runs with a setting under which it may forget what it confirmed.",
        safe: "nothing was touched",
        advice: "switch the named setting on");

    public static ErrorCode LeaseTooShort { get; } = new(
        2048, "lease shorter than the store allows", ExitCode.StoreNotUsable,
        meaning: "The store's service gives no lease as short as `--lease-duration` asks for.",
        safe: "nothing was touched",
        advice: "15 s or more for Azure");

    public static ErrorCode CatalogEntryDamaged { get; } = new(
        2050, "catalog entry damaged", exit: null,
        meaning: "An entry of the catalog is damaged: peers do not find its instance. The instance goes on.",
        safe: "no log is affected, all messages stay with their senders",
        advice: "start the instance that it names again: it writes the entry anew; or remove that of one that is gone",
        exitIfFatal: ExitCode.StoreDamaged);

    public static ErrorCode CatalogLocked { get; } = new(
        2051, "catalog lock held by stopped processes", exit: null,
        meaning: "Two processes stand still, one of which holds the file catalog's lock and the other passes it over: entries "
            + "cannot be changed. An instance serves without, and tries again.",
        safe: "no entry was changed",
        advice: "end the processes that hold `.catalog/.lock` and `.catalog/.lock.next` (`fuser` names them)",
        exitIfFatal: ExitCode.DeviceFailed);

    public static ErrorCode CheckpointFailed { get; } = new(
        2102, "checkpoint could not be written", exit: null,
        meaning: "A checkpoint could not be written.",
        safe: "older checkpoints and the whole log",
        advice: "free space, for EMFILE raise the limit of open files; the next attempt is made after more log",
        exitIfFatal: ExitCode.DeviceFailed);

    /// <summary>All of them, by number.</summary>
    public static IReadOnlyList<ErrorCode> All { get; } =
    [
        LogCorrupt, SegmentTooShort, SegmentMissing, CheckpointBeyondLog, LogOfAnother, OldLogMissing, ManifestUnusable,
        CheckpointDamaged, NoUsableCheckpoint, NoFittingCheckpoint, CheckpointOfNewerBuild, CheckpointReleased,
        CheckpointHasQuarantined, PeerFellBack, DeviceCannotRead, WriteFailed, FileReplaced, RecordUnreadable, CannotOpenLog,
        StoreSilent, StoreForgot, UnknownStore, BadInstanceName, NetworkFileSystem, FileStoresUnsupported, NoLogThere,
        StoreRefuses, BadStoreUri, ServerMayForget, LeaseTooShort, CatalogEntryDamaged, CatalogLocked, CheckpointFailed,
    ];
}
