namespace Ambrosia.Primitives.Errors;

/// <summary>IC-70xx: calls from outside.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class IngressErrors
{
    private const string NotCalled = "the call is not in the log, and will not run";

    public static ErrorCode NotUnderstood { get; } = new(
        7001, "arguments not understood", exit: null,
        meaning: "400: the body is no JSON, or not what the method takes. `detail` names the place, such as `$.order.lines[2].price`.",
        safe: NotCalled,
        advice: "correct the body; `/openapi.json` says what each method takes");

    public static ErrorCode BadKey { get; } = new(
        7002, "key without a time, or unreadable", exit: null,
        meaning: "400: the `Idempotency-Key` is no structured field, or says neither by itself nor with `t` when it was made. "
        + "Without a time "
            + "a forgotten key could not be told from a new one.",
        safe: NotCalled,
        advice: "a UUIDv7 or a ULID as the key, or `\"order-42\";t=1795439000` with the time at which the order was made");

    public static ErrorCode OtherBody { get; } = new(
        7003, "key used for another call", exit: null,
        meaning: "409: a call with this key had another method, other arguments, or another time. Bytes are compared: other spaces "
        + "are another "
            + "body.",
        safe: "the first call with this key stands",
        advice: "send a repeat exactly as the first time, `t` included; take a new key for a new call");

    public static ErrorCode Forgotten { get; } = new(
        7004, "key made too long ago", exit: null,
        meaning: "410: the key was made before the point up to which keys of this caller are forgotten, and is not kept. It may have run.",
        safe: "nothing runs now; what ran before stands",
        advice: "ask the immortal itself whether it has done it; repeat a call within a day");

    public static ErrorCode Acknowledged { get; } = new(
        7005, "answer acknowledged and forgotten", exit: null,
        meaning: "410: the caller has said with `low` that it is done with this call.",
        safe: "the call ran once",
        advice: "none; the client repeats what it has acknowledged");

    public static ErrorCode ShareFull { get; } = new(
        7006, "share of the caller used up", exit: null,
        meaning: "429: as many calls or bytes of answers are kept for this caller as it may have.",
        safe: NotCalled + " until it is repeated",
        advice: "repeat it later with the same key; let clients acknowledge with `n` and `low`");

    public static ErrorCode Unavailable { get; } = new(
        7007, "instance does not take calls now", exit: null,
        meaning: "503: it starts, drains, is no primary, or its app has not said yet what its methods take.",
        safe: "nobody can say whether an earlier copy of the call is in the log; a repeat with its key is safe",
        advice: "repeat it with the same key, maybe at another replica");

    public static ErrorCode FromTheFuture { get; } = new(
        7008, "key from the future", exit: null,
        meaning: "400: the key says that it was made more than five minutes from now.",
        safe: NotCalled,
        advice: "set the caller's clock; `t` counts seconds since 1970, not milliseconds");

    public static ErrorCode NoSuchMethod { get; } = new(
        7010, "no such method for this caller", exit: null,
        meaning: "404 or 405: no such address, another instance, a method that is not there or not offered to this caller, or a GET of "
        + "what is no query. Offered are "
            + "methods marked `[Impulse]`, or what `--ingress-methods` says.",
        safe: NotCalled,
        advice: "see `/openapi.json` for what is offered; `--ingress-methods` offers more");

    public static ErrorCode HandlerFailed { get; } = new(
        7011, "handler threw an exception", exit: null,
        meaning: "422: the exception is the answer to this call, and each repeat gets the same. `exception` has its type, its "
        + "message, and the "
            + "data that `[Throws]` declares.",
        safe: "the call ran once; what its handler had changed before the exception stands",
        advice: "a new try is a new call with a new key");

    public static ErrorCode OutcomeUnknown { get; } = new(
        7012, "outcome unknown", exit: null,
        meaning: "500: a call without a key lost its answer, because a process ended. It may have run.",
        safe: "it runs at most once",
        advice: "ask the immortal; give calls an `Idempotency-Key`, and a repeat gets the answer");

    public static ErrorCode Unauthenticated { get; } = new(
        7013, "no token", exit: null,
        meaning: "401: the request shows no token of the file of `--ingress-tokens`, and none of the issuer of `--ingress-jwt-issuer`.",
        safe: NotCalled,
        advice: "`Authorization: Bearer TOKEN`");

    public static ErrorCode TooLarge { get; } = new(
        7014, "body too large", exit: null,
        meaning: "413: the body has more bytes than `--ingress-max-body`, or its arguments more than `--max-message-size`.",
        safe: NotCalled,
        advice: "send less, or raise the limit");

    public static ErrorCode TooManyAtOnce { get; } = new(
        7015, "too many requests at once", exit: null,
        meaning: "429: this caller, or all together, have as many requests open, or as many bytes in them, as may be.",
        safe: NotCalled + " until it is repeated",
        advice: "repeat it a little later; use `?mode=send` and ask for the answer");

    public static ErrorCode NotKnownInTime { get; } = new(
        7016, "not known in time", exit: null,
        meaning: "504: the time to wait was over before the log could say whether it has the call; or a typed call over gRPC is in the log "
            + "and not answered yet; or the app has not answered a query.",
        safe: "a repeat with its key is safe, and so is that of a query; a call without a key may run",
        advice: "repeat it with the same key, or wait longer; if it goes on, see whether the app or its disk is slow");

    public static ErrorCode NoSuchCall { get; } = new(
        7017, "no call with this key has run", exit: null,
        meaning: "404: asked for a key that the log does not have. A copy of the call may still come.",
        safe: "it has not run",
        advice: "send the call");

    public static ErrorCode NotJson { get; } = new(
        7018, "kind of content not taken", exit: null,
        meaning: "415: the body is not `application/json`, or a message of gRPC is compressed.",
        safe: NotCalled,
        advice: "`Content-Type: application/json`");

    public static ErrorCode NoSuchAwakeable { get; } = new(
        7019, "no such awakeable", exit: null,
        meaning: "404: this instance has not given out such an id.",
        safe: "nothing was changed or logged",
        advice: "take the whole `Url` as the app gave it; after a move to a new instance old addresses are void");

    public static ErrorCode AwakeableNotOpen { get; } = new(
        7020, "awakeable not open", exit: null,
        meaning: "410: it was completed with something else, rejected or closed, its deadline has come, or it was completed "
        + "longer ago than "
            + "repeats are known (a day).",
        safe: "the first completion counts, and this one changes nothing",
        advice: "ask the immortal what became of it");

    public static ErrorCode AwakeableNotUnderstood { get; } = new(
        7021, "value of the awakeable not understood", exit: null,
        meaning: "422: the body is not what the awakeable takes, or cannot be read. `detail` names the place.",
        safe: "this request has changed nothing: the awakeable is open still, unless another one has completed it",
        advice: "correct the body and send it again");

    public static ErrorCode OtherInstance { get; } = new(
        7022, "another instance under this name", exit: null,
        meaning: "410: the request names the id of an instance that is no longer there under its name: it was erased and made again. "
            + "A gateway says so of a call that it has sent to the former one and does not send to the new one.",
        safe: "the new instance has not got the call; the former one may have run it, and its log is gone",
        advice: "find out what has become of it; sent again, the call runs in the new instance");

    public static ErrorCode NoSuchInstance { get; } = new(
        7023, "no instance of this name", exit: null,
        meaning: "404: the gateway's catalog has no instance of this name, or one that takes no calls from outside.",
        safe: NotCalled,
        advice: "`ambrosia catalog list` shows the names, `ambrosia catalog show NAME` where calls reach one; the instance "
            + "needs `--ingress`");

    public static ErrorCode GatewayNotTrusted { get; } = new(
        7024, "gateway not let in by the instance", exit: null,
        meaning: "502: the instance refuses the gateway's own token, or the gateway has none.",
        safe: NotCalled,
        advice: "put the hash of the gateway's token into the instance's `--ingress-tokens`, in a line that begins with the word gateway");

    public static ErrorCode TooOften { get; } = new(
        7025, "too many requests a second", exit: null,
        meaning: "429: this caller sends more requests a second than the gateway's `--rate` lets it.",
        safe: NotCalled + " until it is repeated",
        advice: "wait as long as `Retry-After` says, and repeat it");

    public static ErrorCode InstanceNotTrusted { get; } = new(
        7026, "instance whose encryption the gateway does not trust", exit: null,
        meaning: "502: the certificate that the instance shows is of another authority or name, or its time is over; or its address "
            + "begins with https, and it has none.",
        safe: NotCalled + " until it is repeated",
        advice: "name its authority with the gateway's `--instance-ca-file`; the name in the instance's `--ingress-advertise` must stand "
            + "in its certificate");

    public static ErrorCode AnswerDoesNotFit { get; } = new(
        7027, "answer that today's message cannot hold", exit: null,
        meaning: "422, and only of a typed call over gRPC: the answer is kept, and the app's present version gives back another type.",
        safe: "the call ran once, and its answer stays",
        advice: "ask for it with `GetCall` of `ambrosia.v1.Ingress`, or with `GET /v1/calls/KEY`, by its key");

    public static ErrorCode KeyWithoutInstance { get; } = new(
        7028, "key that does not name its instance", exit: null,
        meaning: "400: the instance keeps its log in memory only (`--no-log`). Each start of it knows its own keys alone, and has an id of "
            + "its own; this key does not say which start it is for.",
        safe: "no call without that id has run; one with it may have",
        advice: "name the id in the key: `\"order-42\";t=1795439000;id=\"5f0c...\"`. The header `Ambrosia-Instance-Id` of this answer "
            + "has it, and so has `GET /v1/instance`. Take it once for a call and repeat the key as it is; or keep a log");

    public static ErrorCode Encrypted { get; } = new(
        7029, "address that is encrypted", exit: null,
        meaning: "400: HTTP without TLS was spoken to an address that has a certificate.",
        safe: NotCalled,
        advice: "begin the address with `https:`");

    /// <summary>All of this class.</summary>
    public static IReadOnlyList<ErrorCode> All { get; } =
    [
        NotUnderstood, BadKey, OtherBody, Forgotten, Acknowledged, ShareFull, Unavailable, FromTheFuture, NoSuchMethod, HandlerFailed,
        OutcomeUnknown, Unauthenticated, TooLarge, TooManyAtOnce, NotKnownInTime, NoSuchCall, NotJson,
        NoSuchAwakeable, AwakeableNotOpen, AwakeableNotUnderstood, OtherInstance, NoSuchInstance, GatewayNotTrusted, TooOften,
        InstanceNotTrusted, AnswerDoesNotFit, KeyWithoutInstance, Encrypted,
    ];
}
