namespace Ambrosia.Primitives.Errors;

/// <summary>IC-10xx: options, addresses, processes.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ProcessErrors
{
    public static ErrorCode UnknownOption { get; } = new(
        1001, "unknown option", ExitCode.Configuration,
        meaning: "No such option, in the command line or the configuration file.",
        safe: "nothing was started",
        advice: "take the name that the line suggests, or see `--help`");

    public static ErrorCode BadOptionValue { get; } = new(
        1002, "bad value of an option", ExitCode.Configuration,
        meaning: "The text is not a value of that option, or a value is missing.",
        safe: "nothing was started",
        advice: "write what the line asks for; sizes are like `64MiB`, times like `3s`");

    public static ErrorCode NoInstanceName { get; } = new(
        1003, "no instance name", ExitCode.Configuration,
        meaning: "The instance has no name.",
        safe: "nothing was started",
        advice: "`--instance-name bank`, or `AMBROSIA_INSTANCE_NAME`");

    public static ErrorCode OptionsContradict { get; } = new(
        1004, "option out of range or contradicted", ExitCode.Configuration,
        meaning: "A value is out of range, given twice, or contradicts another.",
        safe: "nothing was started",
        advice: "see the range that the line names");

    public static ErrorCode SocketPathTooLong { get; } = new(
        1005, "path of a Unix socket too long", ExitCode.Configuration,
        meaning: "The path of a Unix socket has more than 107 bytes.",
        safe: "nothing was started",
        advice: "a shorter one with `--binding-socket` or `AMBROSIA_SOCKET`, for coordinator and app");

    public static ErrorCode ConfigurationFileUnusable { get; } = new(
        1006, "configuration file unusable", ExitCode.Configuration,
        meaning: "The configuration file cannot be read, or is no JSON object.",
        safe: "nothing was started",
        advice: "correct the file or `--config`");

    public static ErrorCode AddressOutOfPlace { get; } = new(
        1007, "address that others must not reach, or cannot", ExitCode.Configuration,
        meaning: "An address that others must not reach, or one that nobody can connect to.",
        safe: "nothing was started",
        advice: "loopback or a Unix socket for app and admin; `--advertise` beside `0.0.0.0`");

    public static ErrorCode TokenFileUnusable { get; } = new(
        1008, "token file unusable", ExitCode.Configuration,
        meaning: "The token file of the app or of the admin address is readable by others than its user (the app's: and "
            + "`--binding-group`), belongs to another user, who knows the token, is too short, or cannot be read or made.",
        safe: "nobody was let in",
        advice: "`chmod 600`, or remove it: a fresh token is made");

    public static ErrorCode SocketInUse { get; } = new(
        1010, "Unix socket in use: it runs already", ExitCode.AddressUnavailable,
        meaning: "Another living process serves this Unix socket: most likely the instance, or the replica of this number, runs "
            + "already.",
        safe: "that process was not disturbed",
        advice: "stop it, take another `--replica-id`, or choose other sockets (`--binding-socket`, `--admin`)");

    public static ErrorCode SocketFolderUnusable { get; } = new(
        1011, "folder of a Unix socket unusable", ExitCode.AddressUnavailable,
        meaning: "The folder of a Unix socket cannot be made, belongs to another user, or other users may replace files in it; or "
            + "its lock is another user's; or something else than a socket has its name.",
        safe: "nothing was read or written",
        advice: "a folder that only this user may write to");

    public static ErrorCode CannotListen { get; } = new(
        1012, "cannot listen on an address", ExitCode.AddressUnavailable,
        meaning: "Cannot listen on an address: in use, not of this machine, not allowed, or no descriptor is left.",
        safe: "nothing was read or written",
        advice: "port 0 takes any free one");

    public static ErrorCode AddressKindUnsupported { get; } = new(
        1013, "kind of address not supported here", ExitCode.Configuration,
        meaning: "A kind of address that this process or system cannot do.",
        safe: "nothing was read or written",
        advice: "`tcp:host:port`, or `unix:/path`");

    public static ErrorCode CertificatesUnusable { get; } = new(
        1014, "certificates unusable", ExitCode.Configuration,
        meaning: "The certificates for other coordinators, or the one for callers from outside, cannot be read or do not belong to their "
            + "keys, or those for coordinators name another instance.",
        safe: "nothing was started",
        advice: "[make them like this](security.md#two-instances-step-by-step)");

    public static ErrorCode PlaintextReachable { get; } = new(
        1015, "peers reachable without encryption", ExitCode.Configuration,
        meaning: "Other machines could connect as peers, and there are no certificates.",
        safe: "nothing was started",
        advice: "give certificates: [security.md](security.md); or `--allow-plaintext-peers` on a network that you trust");

    public static ErrorCode GroupUnusable { get; } = new(
        1016, "socket cannot be given to the group", ExitCode.AddressUnavailable,
        meaning: "The app's socket or its folder cannot be given to the group of `--binding-group`.",
        safe: "nobody was let in",
        advice: "name a group that the coordinator's user is a member of");

    public static ErrorCode InstanceExists { get; } = new(
        1020, "instance exists already", ExitCode.Configuration,
        meaning: "`--start create`, but the instance exists.",
        safe: "nothing was changed",
        advice: "`--start auto` or `recover`; or erase it first");

    public static ErrorCode InstanceMissing { get; } = new(
        1021, "instance does not exist", ExitCode.Configuration,
        meaning: "`--start recover`, but there is no such instance in the store.",
        safe: "nothing was changed",
        advice: "check `--store` and `--instance-name`");

    public static ErrorCode AppGone { get; } = new(
        1030, "app has gone", ExitCode.AppGone,
        meaning: "The app has gone, and `--on-app-exit stop` is set.",
        safe: "everything acknowledged is in the log",
        advice: "start both again");

    public static ErrorCode AppSlotTaken { get; } = new(
        1031, "app refused: another is attached", exit: null,
        meaning: "An app was refused: another one is attached, or the ports of the published protocol were connected in the wrong "
            + "order.",
        safe: "the attached app was not disturbed",
        advice: "end the other app; the receive port is connected first");

    public static ErrorCode AppHandshakeBroken { get; } = new(
        1032, "app refused: broken handshake", exit: null,
        meaning: "An app was refused: it broke the handshake, or did not say Hello within 30 seconds.",
        safe: "nothing was delivered to it",
        advice: "use a binding that speaks docs/internals/protocol.md");

    public static ErrorCode AppProtocolVersion { get; } = new(
        1033, "app refused: no common protocol version", exit: null,
        meaning: "An app was refused: no common version of the binding protocol.",
        safe: "nothing was delivered to it",
        advice: "give app and coordinator the same version of Ambrosia ([install.md](../guide/install.md#when-a-build-refuses))");

    public static ErrorCode AppOfOtherInstance { get; } = new(
        1034, "app refused: another instance", exit: null,
        meaning: "An app was refused: it is another instance than this coordinator serves.",
        safe: "nothing was delivered to it",
        advice: "correct the socket or the instance name");

    public static ErrorCode AppTokenWrong { get; } = new(
        1035, "app refused: wrong token", exit: null,
        meaning: "An app was refused: its token is not the coordinator's.",
        safe: "nothing was delivered to it",
        advice: "give the app the token: `AMBROSIA_TOKEN_FILE` or `AMBROSIA_TOKEN`, the content of `--binding-token-file`");

    public static ErrorCode OnHold { get; } = new(
        1036, "on hold: a message ends the app each time", exit: null,
        meaning: "An app was refused: a message has ended it three times running, and the instance is on hold. The line names "
            + "message, sender and method.",
        safe: "what arrives is logged and confirmed; nothing is executed",
        advice: "[poison.md](poison.md): start a build that survives it, or quarantine the message, or retry");

    public static ErrorCode CannotQuarantine { get; } = new(
        1037, "message cannot be quarantined", exit: null,
        meaning: "A message cannot be quarantined: the app did not die in it, some of what it sends has left, a caller from outside "
            + "may have been told what it answered, another replica has survived it or does not step back from making checkpoints, or too "
            + "many dead letters are kept.",
        safe: "nothing was changed",
        advice: "see the reason in the line");

    public static ErrorCode AppStuck { get; } = new(
        1038, "app does not move", exit: null,
        meaning: "The app has been in one turn for longer than `--watchdog`; the line names the message. Never of an app of the "
            + "published protocol, whose turns cannot be seen. Or the app's process is stopped (SIGSTOP), or, at "
            + "`--binding-address`, an app with nothing to execute did not answer within `--watchdog`. The instance is not "
            + "ready meanwhile.",
        safe: "what arrives is logged and confirmed",
        advice: "look at the app; a handler that never ends is treated as one that kills, see [poison.md](poison.md)");

    public static ErrorCode AppOfOtherUser { get; } = new(
        1039, "app refused: another user's process", exit: null,
        meaning: "An app was refused: its process belongs to another user, who is neither root nor a member of `--binding-group`.",
        safe: "nothing was delivered to it",
        advice: "run app and coordinator as one user, or give them a common group");

    public static ErrorCode FileUnusable { get; } = new(
        1040, "file of store or catalog unusable", ExitCode.StoreNotUsable,
        meaning: "A file of the store or catalog cannot be used; the line names call, path and the system's reason.",
        safe: "everything acknowledged is in the log",
        advice: "check the folder, its device, and the rights of this user");

    public static ErrorCode NoSuchQuery { get; } = new(
        1041, "no such query", exit: null,
        meaning: "The app answers no such query.",
        safe: "nothing was changed",
        advice: "a method with `[Query]`; the line lists those that there are");

    public static ErrorCode QueryFailed { get; } = new(
        1042, "query failed", exit: null,
        meaning: "A query failed: it threw, or sent, waited or changed something.",
        safe: "nothing was changed, or the app ends and is rebuilt from the log",
        advice: "see the reason in the line");

    public static ErrorCode QueryTooLate { get; } = new(
        1043, "query not answered in time", exit: null,
        meaning: "The app did not answer a query in time: it is not at the record of `at-least` yet, is busy, or its binding has "
            + "no queries.",
        safe: "nothing was changed",
        advice: "ask again, ask another replica, or wait longer");

    public static ErrorCode NotServing { get; } = new(
        1044, "nobody to ask at the moment", exit: null,
        meaning: "A request to the admin address came when there is nobody to ask: the instance starts, waits for its log, has no "
            + "app, or stops.",
        safe: "nothing was changed; a decision about a dead letter that was under way may have been logged",
        advice: "ask again when `GET /readyz` answers 200");

    public static ErrorCode KeySetUnusable { get; } = new(
        1045, "keys of an issuer of tokens unusable", ExitCode.Configuration,
        meaning: "The file of `--ingress-jwt-keys`, or of the gateway's `--jwt-keys`, cannot be read, is no JSON Web Key Set, or has "
            + "no key that signatures can be verified with.",
        safe: "nobody was let in",
        advice: "give the file as the issuer publishes it: RSA keys of 2,048 bits or more, or EC keys of P-256, P-384 or P-521");

    public static ErrorCode CoordinatorMistake { get; } = new(
        1090, "mistake in the coordinator", ExitCode.Internal,
        meaning: "A mistake in the coordinator itself.",
        safe: "everything acknowledged is in the log",
        advice: "start again; report it with `--log-level debug`");

    public static ErrorCode RequestMistake { get; } = new(
        1091, "mistake while answering a request", exit: null,
        meaning: "A mistake in the coordinator while it answered a request at its admin or health address.",
        safe: "the instance goes on",
        advice: "see its log with `--log-level debug`, and report it");

    /// <summary>All of them, by number.</summary>
    public static IReadOnlyList<ErrorCode> All { get; } =
    [
        UnknownOption, BadOptionValue, NoInstanceName, OptionsContradict, SocketPathTooLong, ConfigurationFileUnusable,
        AddressOutOfPlace, TokenFileUnusable, SocketInUse, SocketFolderUnusable, CannotListen, AddressKindUnsupported,
        CertificatesUnusable, PlaintextReachable, GroupUnusable, InstanceExists, InstanceMissing, AppGone, AppSlotTaken,
        AppHandshakeBroken, AppProtocolVersion, AppOfOtherInstance, AppTokenWrong, OnHold, CannotQuarantine, AppStuck,
        AppOfOtherUser, FileUnusable, NoSuchQuery, QueryFailed, QueryTooLate, NotServing, KeySetUnusable,
        CoordinatorMistake, RequestMistake,
    ];
}
