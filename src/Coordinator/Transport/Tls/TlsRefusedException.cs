namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>No connection came about because one side did not believe the other, or does not speak TLS 1.3.</summary>
internal sealed class TlsRefusedException(string code, string peer, string reason, Exception? inner = null)
    : IOException($"{code} {peer}: {reason}", inner)
{
    /// <summary>Stable code; docs/operate/errors.md explains each.</summary>
    public string Code { get; } = code;

    /// <summary>In words.</summary>
    public string Reason { get; } = reason;
}
