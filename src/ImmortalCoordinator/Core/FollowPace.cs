namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>How long a secondary waits before it looks for the next record: a millisecond while records come, longer when none does.</summary>
internal sealed class FollowPace
{
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_longest = TimeSpan.FromMilliseconds(8);
    private TimeSpan _next = s_shortest;

    /// <summary>A record came.</summary>
    public void Moved() => _next = s_shortest;

    /// <summary>The next pause; each is longer than the one before, up to a limit.</summary>
    public TimeSpan Next()
    {
        TimeSpan pause = _next;
        _next = _next * 1.25 < s_longest ? _next * 1.25 : s_longest;
        return pause;
    }
}
