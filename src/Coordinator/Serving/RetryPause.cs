namespace Ambrosia.Coordinator.Serving;

/// <summary>
/// When something that failed is tried again: after one second, doubling to one minute, from the beginning after a success.
/// </summary>
internal sealed class RetryPause(TimeProvider time)
{
    private static readonly TimeSpan s_first = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(1);
    private long _failed;

    /// <summary>How long it lasts; zero when there is none.</summary>
    public TimeSpan Length { get; private set; }

    /// <summary>Whether it may be tried.</summary>
    public bool IsOver => Length == TimeSpan.Zero || time.GetElapsedTime(_failed) >= Length;

    /// <summary>It has failed: the next attempt waits.</summary>
    public void Failed()
    {
        _failed = time.GetTimestamp();
        Length = Length == TimeSpan.Zero ? s_first : Length * 2 < s_longest ? Length * 2 : s_longest;
    }

    /// <summary>It has succeeded.</summary>
    public void Succeeded() => Length = TimeSpan.Zero;
}
