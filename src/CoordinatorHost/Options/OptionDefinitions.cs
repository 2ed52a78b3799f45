using System.Globalization;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Options;

/// <summary>
/// Every option once: help, validation, <c>--print-config</c> and the table in docs/operate/options.md all come from here.
/// </summary>
internal static class OptionDefinitions
{
    private const string Self = "Identity and places";
    private const string App = "The app";
    private const string Peers = "Other coordinators";
    private const string Log = "Log and checkpoints";
    private const string Limits = "Limits";
    private const string Operation = "Operation";

    public static IReadOnlyList<OptionDefinition> All { get; } =
    [
        new("instance-name", "NAME", Self, "Name of the immortal: 1 to 63 letters, digits, '.', '_' or '-'. Required.", o =>
            o.InstanceName, Text((o, v) => o.InstanceName = v)),
        new("store", "URI", Self, "Log and checkpoints: file:/folder (one folder per instance below it), postgres://user@host/database, "
            + "azblob://account.blob.core.windows.net/container or memory:. Default: file:$AMBROSIA_HOME/instances.", o =>
                o.Store, Uri((o, v) => o.Store = v)),
        new("catalog", "URI", Self, "Where instances find each other: file:/folder, postgres://user@host/database, "
            + "aztable://account.table.core.windows.net/table, dns:{instance}.domain:port or memory:. Default: "
            + "file:$AMBROSIA_HOME/catalog.", o => o.Catalog, Uri((o, v) => o.Catalog = v)),
        new("cluster", "NAME", Self, "Instances of different clusters refuse each other.", o => o.Cluster, Text((o, v) => o.Cluster = v)),
        new("start", "MODE", Self, "auto: recover or begin anew; create: must be new; recover: must exist.", o =>
            Lower(o.Start), Enum<StartMode>((o, v) => o.Start = v)),
        new("replica-id", "NUMBER", Self,
            "Number of this replica, 0 to 99, when several share the store: a process that finds the instance served "
            + "follows its log and is promoted when its primary ends. Default: none.", o =>
                o.ReplicaId is null ? "none" : Show(o.ReplicaId), Replica),
        new("takeover-after", "TIME", Self, "How long a primary may show no sign of life before a secondary on the same machine ends its "
            + "process and is promoted; off: never.", o =>
                o.TakeoverAfter == TimeSpan.Zero ? "off" : Duration.Format(o.TakeoverAfter), TakeoverAfter),
        new("take-over", null, Self, "Ask the primary to hand over to this process, instead of waiting for its end. For "
            + "one start, not for a unit file: two that always ask would never rest.", o =>
                Show(o.TakeOver), Switch((o, v) => o.TakeOver = v)),

        new("binding-socket", "PATH", App, "Unix socket on which the app attaches, at most 107 bytes. Default: a name from store and "
            + "instance in $XDG_RUNTIME_DIR/ambrosia.", o => Show(o.BindingSocket), Socket),
        new("binding-address", "ADDRESS", App, "Loopback address on which the app attaches instead, showing the token. Default: none.", o =>
            Show(o.BindingAddress), Address((o, v) => o.BindingAddress = v)),
        new("binding-group", "GROUP", App, "Group, by name or number, whose members may attach at the Unix socket beside this user and "
            + "root; none: nobody else. Default: none.", o => o.BindingGroup is null ? "none" : Show(o.BindingGroup), Group),
        new("binding-token-file", "FILE", App, "Token that the app must show; made if missing. Default: none for a socket, "
            + "$AMBROSIA_HOME/tokens/NAME for --binding-address.", o => o.BindingTokenFile, Text((o, v) => o.BindingTokenFile = v)),
        new("receive-port", "PORT", App, "Loopback port that a binding of AMBROSIA's published protocol sends to. Default: none.", o =>
            Show(o.ReceivePort), Port((o, v) => o.ReceivePort = v)),
        new("send-port", "PORT", App, "Loopback port that such a binding receives from. Default: none.", o =>
            Show(o.SendPort), Port((o, v) => o.SendPort = v)),
        new("legacy-upgrade-to", "VERSION", App,
            "Ask the app at --send-port to convert its state before it acts, unless the log says that it is of this version already. "
            + "Default: none.",
            o => o.LegacyUpgradeTo.Length == 0 ? "none" : o.LegacyUpgradeTo, Text((o, v) => o.LegacyUpgradeTo = v)),
        new("on-app-exit", "POLICY", App, "wait: for the next app, as a sidecar does; stop: end as well, with exit code 30.", o =>
            Lower(o.OnAppExit), Enum<AppExitPolicy>((o, v) => o.OnAppExit = v)),
        new("on-content-divergence", "POLICY", App, "A replay sends other contents than the first time, in the same number to the same "
            + $"destinations. warn: say so and go on; stop: end with {ReplayErrors.Diverged}.", o =>
                Lower(o.OnContentDivergence), Enum<ContentDivergencePolicy>((o, v) => o.OnContentDivergence = v)),
        new("upgrade-wait", "TIME", App, "How long an app that is to take another's place waits for suspended calls, for the old app's "
            + "turn and for its own conversion.", o => Duration.Format(o.UpgradeWait), Time((o, v) => o.UpgradeWait = v)),
        new("watchdog", "TIME", App, "Time that the app may spend in one turn before the message is named.", o =>
            Duration.Format(o.Watchdog), Time((o, v) => o.Watchdog = v)),
        new("handler-deadline", "TIME", App, "Time after which an app that is still in the same turn is ended, which counts as its own "
            + "death; off: never. Default: off.", o =>
                o.HandlerDeadline == TimeSpan.Zero ? "off" : Duration.Format(o.HandlerDeadline), HandlerDeadline),
        new("quarantine-after", "DEATHS", App, "Deaths of the app running in one message after which it is quarantined unasked, 2 to 100; "
            + "off: after three the instance is put on hold. Default: off.", o =>
                o.QuarantineAfter == 0 ? "off" : Show(o.QuarantineAfter), Deaths),
        new("owner-pipe", null, App, "Standard input belongs to the owner: its end stops the coordinator.", o =>
            Show(o.OwnerPipe), Switch((o, v) => o.OwnerPipe = v)),

        new("peer-address", "ADDRESS", Peers, "Where other coordinators connect to; port 0 is any free one.", o =>
            Show(o.PeerAddress), Address((o, v) => o.PeerAddress = v)),
        new("advertise", "ADDRESS", Peers, "Address to publish instead, such as the host's name; port 0 publishes the port listened on. "
            + "Default: the address listened on.", o => Show(o.Advertise), Address((o, v) => o.Advertise = v)),
        new("peer-cert-file", "FILE", Peers, "PEM file with this coordinator's certificate, and the chain after it: connections with "
            + "other coordinators are TLS 1.3 then. Read again at every connection. Default: none.", o =>
                o.PeerCertFile, Text((o, v) => o.PeerCertFile = v)),
        new("peer-key-file", "FILE", Peers, "PEM file with its private key. Default: none.", o =>
            o.PeerKeyFile, Text((o, v) => o.PeerKeyFile = v)),
        new("peer-trusted-ca-file", "FILE", Peers, "PEM file with the authorities that other coordinators' certificates come from. "
            + "Default: none.", o => o.PeerTrustedCaFile, Text((o, v) => o.PeerTrustedCaFile = v)),
        new("peer-identity", "URI", Peers, "URI by which a certificate names an instance; {cluster} and {instance} stand for the names.",
            o => o.PeerIdentity, Text((o, v) => o.PeerIdentity = v)),
        new("allow-peers", "NAMES", Peers, "Instances that may send to this one, separated by commas; a star at the end stands for any "
            + "ending.", o => o.AllowPeers.ToString(), AllowPeers),
        new("allow-plaintext-peers", null, Peers, "Connect with coordinators on other machines without encryption.", o =>
            Show(o.AllowPlaintextPeers), Switch((o, v) => o.AllowPlaintextPeers = v)),
        new("heartbeat", "TIME", Peers, "Time between signs of life; three missing ones end a connection.", o =>
            Duration.Format(o.Heartbeat), Time((o, v) => o.Heartbeat = v)),

        new("segment-size", "SIZE", Log, "Bytes of one log file.", o => ByteSize.Format(o.SegmentSize), Size((o, v) => o.SegmentSize = v)),
        new("page-size", "SIZE", Log, "Bytes of one page, the largest group commit.", o =>
            ByteSize.Format(o.PageSize), Size((o, v) => o.PageSize = checked((int)v), int.MaxValue)),
        new("checkpoint-every", "SIZE", Log, "Bytes of log after which a checkpoint is taken. Default: the segment size.", o =>
            ByteSize.Format(o.CheckpointEvery), Size((o, v) => o.CheckpointEvery = v)),
        new("checkpoint-on-stop", "TIME", Log,
            "How long the checkpoint may take that a clean stop of app or coordinator ends with, if messages were executed since the last "
                + "one; at most 60s; 0: none is taken.",
            o => o.CheckpointOnStop == TimeSpan.Zero ? "0" : Duration.Format(o.CheckpointOnStop), OnStop),
        new("checkpoint-rate", "SIZE", Log, "Bytes per second that a checkpointer writes at most: for replicas that share a machine or a "
            + "disk with their primary; none: as fast as it can. Default: none.", o =>
                o.CheckpointRate == 0 ? "none" : ByteSize.Format(o.CheckpointRate), Rate),
        new("retain", "WHAT", Log, "Old checkpoints and their log: count:N (2 or more), size:BYTES or all.", o =>
            o.Retain.ToString(), Retain),
        new("scratch", "FOLDER", Log, "Output that waits and does not fit into memory; emptied at start. Default: scratch in the "
            + "instance's folder; $AMBROSIA_HOME/scratch/NAME if the store is no folder.", o => o.Scratch, Text((o, v) => o.Scratch = v)),
        new("lease-duration", "TIME", Log, "Time after which a store that is a service lets another append, unless renewed; 2s to 60s.",
            o => Duration.Format(o.LeaseDuration), Time((o, v) => o.LeaseDuration = v)),
        new("no-log", null, Log, "Keep the log in memory, whatever --store says: nothing survives the process. For measurements and tests.",
            o => Show(o.NoLog), Switch((o, v) => o.NoLog = v)),
        new("allow-network-filesystem", null, Log, "Start although the store lies on NFS, SMB or the like.", o =>
            Show(o.AllowNetworkFilesystem), Switch((o, v) => o.AllowNetworkFilesystem = v)),

        new("max-message-size", "SIZE", Limits, "Bytes of the largest message. A change counts for what is logged from then on.", o =>
            ByteSize.Format(o.MaxMessageSize), Size((o, v) => o.MaxMessageSize = checked((int)v), int.MaxValue)),
        new("max-turn-bytes", "SIZE", Limits, "Bytes that the handler of one message may send in all.", o =>
            ByteSize.Format(o.MaxTurnBytes), Size((o, v) => o.MaxTurnBytes = checked((int)v), int.MaxValue)),
        new("max-buffered", "SIZE", Limits,
            "Bytes of messages in memory, inputs and outputs each; beyond it log and scratch file are used.", o =>
                ByteSize.Format(o.MaxBuffered), Size((o, v) => o.MaxBuffered = v)),
        new("max-spill", "SIZE", Limits, "Bytes of output spilled to disk before the app is slowed.", o =>
            ByteSize.Format(o.MaxSpill), Size((o, v) => o.MaxSpill = v)),
        new("drop-outputs-after", "TIME", Limits,
            "How long a destination may be away, while the app waits because its share of --max-spill is used up, before what waits for it "
            + "is dropped: kept in a file and never sent; off: it is waited for without end. Default: off.",
            o => o.DropOutputsAfter == TimeSpan.Zero ? "off" : Duration.Format(o.DropOutputsAfter), DropOutputsAfter),
        new("dropped-outputs", "FOLDER", Limits,
            "Outputs that were dropped. Default: dropped in the instance's folder; $AMBROSIA_HOME/dropped/NAME if the store is no folder.",
            o => o.DroppedOutputs, Text((o, v) => o.DroppedOutputs = v)),
        new("max-lag", "SIZE", Limits, "Bytes of log that the app may be behind before senders are slowed.", o =>
            ByteSize.Format(o.MaxLag), Size((o, v) => o.MaxLag = v)),

        new("admin", "ADDRESS", Operation, "Health, status and metrics over HTTP on a loopback address or unix:/path; off turns it off. "
            + "Default: a socket beside the app's with --owner-pipe, else off.", o =>
                o.Admin is null ? "off" : Show(o.Admin), OrOff((o, v) => o.Admin = v)),
        new("admin-token-file", "FILE", Operation, "Token that requests at the admin address must show; made if missing. Default: none "
            + "for a socket, $AMBROSIA_HOME/admin-tokens/NAME for a loopback address.", o =>
                o.AdminTokenFile, Text((o, v) => o.AdminTokenFile = v)),
        new("health", "ADDRESS", Operation, "Health, readiness and metrics over HTTP for an orchestrator, on an IP address that may be "
            + "reachable from other machines: GET /healthz, /readyz, /metrics and nothing else; off turns it off. Default: off.", o =>
                o.Health is null ? "off" : Show(o.Health), OrOff((o, v) => o.Health = v)),
        new("ingress", "ADDRESS", Operation,
            "Calls from outside, over HTTP and JSON (POST /v1/immortals/NAME/METHOD) and over gRPC. A loopback address, or, with "
            + "--ingress-tokens or --ingress-jwt-issuer, an IP address that other machines reach; off turns it off. Default: off.", o =>
                o.Ingress is null ? "off" : Show(o.Ingress), OrOff((o, v) => o.Ingress = v)),
        new("ingress-url", "URL", Operation,
            "Address at which others reach --ingress, such as https://shop.example/orders: what URLs of awakeables begin "
            + "with. Default: the address of --ingress itself; if that is all addresses of this machine, the path alone.", o =>
                o.IngressUrl, Url((o, v) => o.IngressUrl = v)),
        new("ingress-advertise", "URL", Operation,
            "Address at which a gateway reaches --ingress: what the catalog says of this instance. Default: what --ingress "
            + "listens on; if that is all addresses of this machine, with the host of --advertise.", o =>
                o.IngressAdvertise, Url((o, v) => o.IngressAdvertise = v)),
        new("ingress-tokens", "FILE", Operation,
            "Who may call from outside: a line for each token with its caller's name and the token's SHA-256. "
            + "Read again when it changes. Default: none, for loopback alone.", o => o.IngressTokens, Text((o, v) => o.IngressTokens = v)),
        new("ingress-jwt-issuer", "ISSUER", Operation,
            "Who may call from outside, beside --ingress-tokens: those who show a JSON Web Token of this issuer, as its claim iss "
            + "says it. Default: none.", o => o.IngressJwtIssuer, Text((o, v) => o.IngressJwtIssuer = v)),
        new("ingress-jwt-audience", "AUDIENCE", Operation, "What such a token must be issued for: one of its claim aud. Default: none.",
            o => o.IngressJwtAudience, Text((o, v) => o.IngressJwtAudience = v)),
        new("ingress-jwt-keys", "FILE|URL", Operation,
            "The issuer's keys, a JSON Web Key Set: a file, read again when it changes, or an https address. Default: none.", o =>
                o.IngressJwtKeys, Text((o, v) => o.IngressJwtKeys = v)),
        new("ingress-jwt-methods-claim", "NAME", Operation,
            "Claim of such a token with the methods that its caller may call, as a list or with spaces between. "
            + "Default: none, so that each may call what --ingress-methods offers.", o =>
                o.IngressJwtMethodsClaim, Text((o, v) => o.IngressJwtMethodsClaim = v)),
        new("ingress-cert-file", "FILE", Operation,
            "PEM file with the certificate that callers from outside see, and the chain after it: calls are encrypted "
            + "then (TLS 1.2 and 1.3). Read again at every connection. Default: none.", o =>
                o.IngressCertFile, Text((o, v) => o.IngressCertFile = v)),
        new("ingress-key-file", "FILE", Operation, "PEM file with its private key. Default: none.", o =>
            o.IngressKeyFile, Text((o, v) => o.IngressKeyFile = v)),
        new("ingress-methods", "NAMES", Operation,
            "Methods that may be called from outside: impulses for those marked [Impulse], all, or names with "
            + "commas between.", o => o.IngressMethods.ToString(), Methods),
        new("ingress-origins", "ORIGINS", Operation,
            "Web pages of which origins may call from outside, as https://shop.example,http://localhost:5173; * for all, with "
            + "tokens only. Default: none.", o => o.IngressOrigins.ToString(), Origins),
        new("ingress-max-body", "SIZE", Operation, "Bytes of the largest body of a call from outside.", o =>
            ByteSize.Format(o.IngressMaxBody), Size((o, v) => o.IngressMaxBody = checked((int)v), 1 << 30)),
        new(
            "metrics-old-instance-label", null, Operation,
            "Metrics have the label instance of earlier releases beside ambrosia_instance. "
            + "For the change of dashboards; the next release is without.",
            o => Show(o.MetricsOldInstanceLabel), Switch((o, v) => o.MetricsOldInstanceLabel = v)),
        new("drain-timeout", "TIME", Operation, "How long app and log may take to finish after a request to stop.", o =>
            Duration.Format(o.DrainTimeout), Time((o, v) => o.DrainTimeout = v)),
        new("log-format", "FORMAT", Operation, "text: one line per event, for people; json: one object per line.", o =>
            Lower(o.LogFormat), Enum<LogFormat>((o, v) => o.LogFormat = v)),
        new("log-level", "LEVEL", Operation, "Least severe line written: trace, debug, information, warning, error, critical.", o =>
            Lower(o.LogLevel), Enum<LogLevel>((o, v) => o.LogLevel = v)),
    ];

    /// <summary>The definition of a name, however its words are joined: max-lag, MaxLag, MAX_LAG.</summary>
    public static OptionDefinition? Find(string name) => All.FirstOrDefault(option => Plain(option.Name) == Plain(name));

    private static string Plain(string name) =>
        name.Replace("-", "", StringComparison.Ordinal).Replace("_", "", StringComparison.Ordinal).ToUpperInvariant();

    private static string Lower<T>(T value)
        where T : struct, Enum => value.ToString().ToLowerInvariant();

    private static string Show(object? value) => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "";

    private static string Show(bool value) => value ? "true" : "false";

    private static Func<CoordinatorOptions, string, string?> Text(Action<CoordinatorOptions, string> set) => (options, text) =>
    {
        set(options, text);
        return text.Length == 0 ? "write a text that is not empty" : null;
    };

    private static Func<CoordinatorOptions, string, string?> Uri(Action<CoordinatorOptions, string> set) => (options, text) =>
    {
        // A bare path is what people type first, and it can mean only one thing.
        set(options, text.StartsWith('/') || text.StartsWith('.') ? "file:" + text : text);
        return text.Contains(':', StringComparison.Ordinal) || text.StartsWith('/') || text.StartsWith('.') ? null : "write file:/folder, "
            + "postgres://user@host/database, azblob://... (store), aztable://... (catalog) or memory:";
    };

    private static Func<CoordinatorOptions, string, string?> Address(Action<CoordinatorOptions, EndPointName> set) => (options, text) =>
    {
        if (!EndPointName.TryParse(text, out EndPointName? endPoint, out string? reason))
        {
            return reason;
        }

        set(options, endPoint);
        return null;
    };

    private static string? Socket(CoordinatorOptions options, string text)
    {
        if (text.Length == 0 || text.Contains('\0', StringComparison.Ordinal))
        {
            return "write the path of a socket";
        }

        if (!EndPointName.TryParse(text.Contains(':', StringComparison.Ordinal) ? text
            : Path.GetFullPath(text), out EndPointName? endPoint, out string? reason))
        {
            return reason;
        }

        options.BindingSocket = endPoint;
        return endPoint.Scheme == EndPointScheme.Tcp ? "write the path of a socket; an address goes into --binding-address" : null;
    }

    private static Func<CoordinatorOptions, string, string?> OrOff(Action<CoordinatorOptions, EndPointName?> set) => (options, text) =>
    {
        set(options, null);
        return text == "off" ? null : Address(set)(options, text);
    };

    private static string? Retain(CoordinatorOptions options, string text)
    {
        bool valid = RetainOption.TryParse(text, out RetainOption retain);
        options.Retain = retain;
        return valid ? null : "write count:N with N of at least 2, size:10GiB, or all";
    }

    private static string? Group(CoordinatorOptions options, string text)
    {
        bool numbered = uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out uint number) && number < uint.MaxValue;
        options.BindingGroup = numbered ? number : text is "none" or "" || !Platform.UsesLinuxCalls ? null : FileCalls.GroupOf(text);
        return options.BindingGroup is not null || text == "none" ? null : "write the name or number of a group of this machine, or none";
    }

    private static Func<CoordinatorOptions, string, string?> Port(Action<CoordinatorOptions, int> set) => (options, text) =>
    {
        bool valid = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int port)
            && port is > 0 and <= ushort.MaxValue;
        set(options, port);
        return valid ? null : "write a port from 1 to 65535";
    };

    private static string? Replica(CoordinatorOptions options, string text)
    {
        bool valid = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number is >= 0 and <= 99;
        options.ReplicaId = valid ? number : null;
        return valid || text == "none" ? null : "write a number from 0 to 99, another one for each replica, or none";
    }

    private static string? AllowPeers(CoordinatorOptions options, string text)
    {
        PeerAllowList? list = PeerAllowList.TryParse(text);
        options.AllowPeers = list ?? PeerAllowList.Everybody;
        return list is null ? "write names of instances such as teller,shop-*, or * for all" : null;
    }

    private static string? Methods(CoordinatorOptions options, string text)
    {
        IngressMethods? methods = IngressMethods.TryParse(text);
        options.IngressMethods = methods ?? IngressMethods.Impulses;
        return methods is null ? "write impulses, all, or names of methods such as Deposit,Withdraw" : null;
    }

    private static string? Origins(CoordinatorOptions options, string text)
    {
        IngressOrigins? origins = IngressOrigins.TryParse(text);
        options.IngressOrigins = origins ?? IngressOrigins.None;
        return origins is null ? "write origins without a path, such as https://shop.example,http://localhost:5173; or none" : null;
    }

    private static Func<CoordinatorOptions, string, string?> Url(Action<CoordinatorOptions, string> set) => (options, text) =>
    {
        bool valid = text.Length <= Protocol.AwakeableKey.MaxAddress && text.All(static c => c is > ' ' and <= '~')
            && System.Uri.TryCreate(text, UriKind.Absolute, out System.Uri? url)
            && url is { Scheme: "http" or "https", Query: "", Fragment: "", UserInfo: "" };
        set(options, valid ? text.TrimEnd('/') : "");
        return valid ? null : "write an address such as https://shop.example or https://shop.example/orders";
    };

    private static string? TakeoverAfter(CoordinatorOptions options, string text)
    {
        options.TakeoverAfter = TimeSpan.Zero;
        return text == "off" ? null : Time((o, v) => o.TakeoverAfter = v)(options, text);
    }

    private static string? DropOutputsAfter(CoordinatorOptions options, string text)
    {
        options.DropOutputsAfter = TimeSpan.Zero;
        return text == "off" ? null : Time((o, v) => o.DropOutputsAfter = v)(options, text);
    }

    private static string? OnStop(CoordinatorOptions options, string text)
    {
        options.CheckpointOnStop = TimeSpan.Zero;
        return text is "0" or "off" ? null
            : Time((o, v) => o.CheckpointOnStop = v)(options, text) is null && options.CheckpointOnStop <= Protocol.Farewell.Longest ? null
            : "write a time with its unit, such as 500ms or 10s, at most 60s, or 0";
    }

    private static string? HandlerDeadline(CoordinatorOptions options, string text)
    {
        options.HandlerDeadline = TimeSpan.Zero;
        return text == "off" ? null : Time((o, v) => o.HandlerDeadline = v)(options, text);
    }

    private static string? Deaths(CoordinatorOptions options, string text)
    {
        bool valid = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int deaths) && deaths is >= 2 and <= 100;
        options.QuarantineAfter = valid ? deaths : 0;
        return valid || text == "off" ? null : "write a number from 2 to 100, or off";
    }

    private static Func<CoordinatorOptions, string, string?> Size(
        Action<CoordinatorOptions, long> set, long most = long.MaxValue) => (options, text) =>
    {
        bool valid = ByteSize.TryParse(text, out long bytes) && bytes > 0 && bytes <= most;
        set(options, valid ? bytes : 1);
        return valid ? null : $"write a number of bytes such as 65536, 64KiB or 1.5GiB{(most == int.MaxValue ? ", below 2GiB" : "")}";
    };

    private static string? Rate(CoordinatorOptions options, string text)
    {
        options.CheckpointRate = 0;
        return text == "none" ? null : Size(static (o, v) => o.CheckpointRate = v)(options, text);
    }

    private static Func<CoordinatorOptions, string, string?> Time(Action<CoordinatorOptions, TimeSpan> set) => (options, text) =>
    {
        bool valid = Duration.TryParse(text, out TimeSpan time) && time > TimeSpan.Zero && time <= TimeSpan.FromDays(1);
        set(options, time);
        return valid ? null : "write a time with its unit, such as 500ms, 3s, 2m or 1h, at most 24h";
    };

    private static Func<CoordinatorOptions, string, string?> Switch(Action<CoordinatorOptions, bool> set) => (options, text) =>
    {
        bool valid = bool.TryParse(text, out bool value);
        set(options, value);
        return valid ? null : "write true or false";
    };

    private static Func<CoordinatorOptions, string, string?> Enum<T>(Action<CoordinatorOptions, T> set)
        where T : struct, Enum => (options, text) =>
    {
        bool valid = System.Enum.TryParse(text, ignoreCase: true, out T value) && System.Enum.IsDefined(value)
            && !char.IsAsciiDigit(text[0]);
        set(options, value);
        return valid ? null : $"write one of {string.Join(", ", System.Enum.GetNames<T>()).ToLowerInvariant()}";
    };
}
