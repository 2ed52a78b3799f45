namespace Ambrosia.Coordinator.Transport.Tls;

/// <summary>No connection came about because one side did not believe the other, or does not speak TLS 1.3.</summary>
internal sealed class TlsRefusedException(ErrorCode error, string peer, string reason, Exception? inner = null)
    : IOException($"{error} {peer}: {reason}", inner)
{
    /// <summary>Which refusal this is.</summary>
    public ErrorCode Error { get; } = error;

    /// <summary>In words.</summary>
    public string Reason { get; } = reason;
}
