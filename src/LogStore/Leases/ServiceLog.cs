using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Leases;

/// <summary>Events 2100 to 2199: stores that are services.</summary>
public static partial class ServiceLog
{
    [LoggerMessage(2100, LogLevel.Warning, "The lease of {Location} could not be renewed; {Seconds:0.0} s are left: {Reason}")]
    public static partial void LeaseNotRenewed(ILogger logger, string location, double seconds, string reason);

    [LoggerMessage(2101, LogLevel.Warning, "The lease of {Location} could not be given back, and lapses by itself: {Reason}")]
    public static partial void LeaseNotReleased(ILogger logger, string location, string reason);

    [LoggerMessage(2102, LogLevel.Warning,
        "The store {Location} does not answer; attempt {Attempt} follows in {Milliseconds} ms: {Reason}")]
    public static partial void TriedAgain(ILogger logger, string location, int attempt, double milliseconds, string reason);

    [LoggerMessage(2103, LogLevel.Information, "The lease of {Location} was taken from {Holder}, which has died")]
    public static partial void TakenFromDead(ILogger logger, string location, string holder);
}
