
namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// Lets inputs wait a moment while the app is busy with the records before, so that it gets them from memory and the log need not be read
/// again. Only for an app that is moving: one that takes nothing for <see cref="Patience"/> holds nobody up any more until it takes
/// something, since the log is the queue then (G5).
/// </summary>
internal sealed class DeliveryPace
{
    /// <summary>
    /// Records in memory from which on inputs wait; those that are on their way to the device then still fit into the cache.
    /// </summary>
    private const int Enough = 3;

    private readonly DeliveryCache _cache;
    private readonly TimeProvider _time;
    private readonly ContextEvent _moved = new();
    private bool _standsStill;

    public DeliveryPace(DeliveryCache cache, TimeProvider time)
    {
        (_cache, _time) = (cache, time);
        cache.Taken = Move;
    }

    /// <summary>The longest that inputs wait for an app that takes nothing.</summary>
    public static TimeSpan Patience { get; } = TimeSpan.FromMilliseconds(10);

    /// <summary>Whether inputs should wait now.</summary>
    public bool Holds => _cache.Count >= Enough && !_standsStill;

    /// <summary>Returns when the app has taken a record, or nothing for too long.</summary>
    public async ValueTask WaitAsync()
    {
        Task moved = _moved.WaitAsync();
        await FirstOf.EndsAsync(moved, Task.Delay(Patience, _time));
        _standsStill |= !moved.IsCompleted;
    }

    private void Move()
    {
        _standsStill = false;
        _moved.Pulse();
    }
}
