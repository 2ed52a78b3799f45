namespace Ambrosia.Coordinator.Transport;

/// <summary>A connection was broken, by either side or by what lies between them.</summary>
/// <param name="peer">The other end.</param>
/// <param name="reason">What the system says; null where this side has ended it.</param>
public sealed class ConnectionLostException(string peer, string? reason = null)
    : IOException(reason is null ? $"connection with {peer} lost" : $"connection with {peer} lost: {reason}")
{
    /// <summary>Why it broke, as the system says; null where this side has ended it.</summary>
    public string? Reason => reason;
}
