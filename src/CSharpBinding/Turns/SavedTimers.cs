namespace Ambrosia.Runtime;

/// <summary>The timers of an immortal as they stand in a checkpoint.</summary>
internal sealed class SavedTimers(long nextId, DurableTimer[] pending)
{
    private readonly long _nextId = nextId;
    private readonly DurableTimer[] _pending = pending;

    /// <summary>The id that the next timer gets.</summary>
    public long NextId => _nextId;

    /// <summary>Timers that have not fired, in the order of their ids.</summary>
    public DurableTimer[] Pending => _pending;
}
