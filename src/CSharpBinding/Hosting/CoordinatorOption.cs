namespace Ambrosia.Hosting;

/// <summary>Options that a coordinator has and an app has not: given to an app they do nothing, which somebody should say.</summary>
internal static class CoordinatorOption
{
    /// <summary>Their names.</summary>
    public static IReadOnlyList<string> Names { get; } =
    [
        "cluster", "start", "replica-id", "takeover-after", "take-over", "binding-address", "binding-group", "binding-token-file",
        "receive-port", "send-port", "legacy-upgrade-to", "on-app-exit", "on-content-divergence", "upgrade-wait", "watchdog",
        "handler-deadline", "quarantine-after", "owner-pipe", "peer-address", "advertise", "peer-cert-file", "peer-key-file",
        "peer-trusted-ca-file",
        "peer-identity", "allow-peers", "allow-plaintext-peers", "heartbeat", "segment-size", "page-size", "checkpoint-every",
            "checkpoint-on-stop",
        "checkpoint-rate", "retain", "scratch", "lease-duration", "no-log", "allow-network-filesystem", "max-message-size",
        "max-turn-bytes", "max-buffered", "max-spill", "drop-outputs-after", "dropped-outputs", "max-lag",
        "admin", "admin-token-file", "health", "ingress-url", "ingress-advertise", "ingress-tokens", "ingress-cert-file",
        "ingress-jwt-audience", "ingress-jwt-issuer", "ingress-jwt-keys", "ingress-jwt-methods-claim",
        "ingress-key-file", "ingress-methods", "ingress-origins", "ingress-max-body",
        "metrics-old-instance-label", "drain-timeout", "log-format", "log-level",
    ];
}
