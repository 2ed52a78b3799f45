namespace Ambrosia.Primitives.Threading;

/// <summary>
/// How long to wait before a process that ended is started again: longer each time, from the beginning once it has lived for a while.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class BackOff(TimeProvider time)
{
    private static readonly TimeSpan s_first = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_lived = TimeSpan.FromSeconds(30);
    private TimeSpan _next = s_first;

    /// <summary>The pause before the next start of a process that was started at this time stamp.</summary>
    public TimeSpan After(long started)
    {
        if (time.GetElapsedTime(started) >= s_lived)
        {
            _next = s_first;
        }

        TimeSpan pause = _next;
        _next = _next * 2 < s_longest ? _next * 2 : s_longest;
        return pause;
    }
}
