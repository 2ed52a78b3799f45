using Microsoft.Extensions.Logging;

namespace Ambrosia.Client;

/// <summary>What a client logs: when it begins to reach nobody, and when that is over.</summary>
internal static partial class ClientLog
{
    [LoggerMessage(3301, LogLevel.Warning, "{Target} does not answer; what waits for it is tried again: {Reason}")]
    public static partial void OutageBegan(ILogger logger, string target, string reason);

    [LoggerMessage(3302, LogLevel.Information, "{Target} answers again after {Seconds:F1} s")]
    public static partial void OutageEnded(ILogger logger, string target, double seconds);
}
