namespace Ambrosia.ImmortalCoordinator.Transport;

/// <summary>A connection was broken, by either side or by what lies between them.</summary>
public sealed class ConnectionLostException(string peer)
    : IOException($"connection with {peer} lost");
