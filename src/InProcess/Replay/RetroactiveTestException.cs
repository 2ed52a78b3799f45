namespace Ambrosia.Replay;

/// <summary>New code did not do what the log, or the old code, did; the message is the report.</summary>
public sealed class RetroactiveTestException : Exception
{
    /// <summary>A test that failed with this report.</summary>
    public RetroactiveTestException(string report)
        : base(report)
    {
    }
}
