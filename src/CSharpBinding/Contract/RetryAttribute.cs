namespace Ambrosia;

/// <summary>
/// How an effect is tried again after a failure that may pass. Times are written as <c>"[days.]hours:minutes:seconds"</c>. On an interface
/// it counts for those of its
/// methods that have none of their own.
/// </summary>
[AttributeUsage(AttributeTargets.Interface | AttributeTargets.Method)]
public sealed class RetryAttribute : Attribute
{
    /// <summary>Longest time of one attempt; then its cancellation is requested and the attempt counts as failed. Default 30 s.</summary>
    public string Timeout { get; set; } = "00:00:30";

    /// <summary>Pause after the first failed attempt; it doubles with each further one, ±20 %. Default 1 s.</summary>
    public string First { get; set; } = "00:00:01";

    /// <summary>Longest pause between two attempts. Default 1 min.</summary>
    public string Longest { get; set; } = "00:01:00";

    /// <summary>Time from the request on after which the outcome is a <see cref="TimeoutException"/>. Default: no limit.</summary>
    public string? Within { get; set; }

    /// <summary>Attempts of one process after which the last failure is the outcome. Default 0: no limit.</summary>
    public int Attempts { get; set; }
}
