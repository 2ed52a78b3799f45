namespace Ambrosia.Coordinator.Transport;

/// <summary>Nobody answered at an address.</summary>
public sealed class ConnectFailedException(EndPointName endPoint, string reason, Exception? inner = null)
    : IOException($"cannot connect to {endPoint}: {reason}", inner)
{
    /// <summary>The address that was tried.</summary>
    public EndPointName EndPoint { get; } = endPoint;
}
