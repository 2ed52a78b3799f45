namespace Ambrosia.Coordinator.Availability;

/// <summary>
/// How long a secondary waits before it looks for the next record: an eighth of the longest pause while records come (a millisecond with
/// files), longer when none does.
/// </summary>
/// <param name="longest">The longest pause; the store says it.</param>
internal sealed class FollowPace(TimeSpan longest)
{
    private readonly TimeSpan _shortest = longest / 8;
    private TimeSpan _next = longest / 8;

    /// <summary>A record came.</summary>
    public void Moved() => _next = _shortest;

    /// <summary>The next pause; each is longer than the one before, up to a limit.</summary>
    public TimeSpan Next()
    {
        TimeSpan pause = _next;
        _next = _next * 1.25 < longest ? _next * 1.25 : longest;
        return pause;
    }
}
