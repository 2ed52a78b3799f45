namespace Ambrosia.Primitives.Threading;

/// <summary>A pause on a clock that is given: what is simulated has no other, and code without it would wait in real time.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Pause
{
    /// <summary>Waits so long, or until it is cancelled.</summary>
    public static Task ForAsync(TimeSpan pause, TimeProvider time, CancellationToken cancellationToken = default) =>
        Task.Delay(pause, time, cancellationToken);
}
