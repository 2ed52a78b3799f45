using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator;

/// <summary>
/// Every log event of the coordinator, with ids that stay: 1000 to 1099 life, 1100 to 1199 connections, 1200 to 1299 admin address; the core's
/// events follow from 1300. The log store has 2000 to 2999, the C# binding 3000 to 3999.
/// </summary>
public static partial class CoordinatorLog
{
    [LoggerMessage(1100, LogLevel.Debug, "Connection with {Peer} ended: {Reason}")]
    public static partial void ConnectionLost(ILogger logger, string peer, string reason);

    [LoggerMessage(1101, LogLevel.Warning, "Accepting at {EndPoint} failed, trying again: {Reason}")]
    public static partial void AcceptFailed(ILogger logger, string endPoint, string reason);

    [LoggerMessage(1102, LogLevel.Warning, "Connections at {EndPoint} exceed {Limit}: further ones are closed until others end")]
    public static partial void TooManyConnections(ILogger logger, string endPoint, int limit);
}
