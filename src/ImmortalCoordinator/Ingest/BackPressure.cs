using Ambrosia.ImmortalCoordinator.Core;
using Ambrosia.ImmortalCoordinator.State;

namespace Ambrosia.ImmortalCoordinator.Ingest;

/// <summary>
/// The one place that holds inputs back: when the app is behind its log by more than <c>--max-lag</c>. Until then the
/// log itself is the queue (G5), so that a slow app never holds up the coordinators that flood it. What an instance sends to itself
/// waits with the others, but not when the scratch files are full: the app would wait for room there, and the room for the app.
/// </summary>
internal sealed class BackPressure
{
    private readonly ContextEvent _room = new();
    private readonly SpillBudget _spill;
    private readonly long _maxLag;
    private readonly Queue<(ulong Lsn, long Bytes)> _undone = new();
    private bool _stopped;

    public BackPressure(long maxLag, SpillBudget spill)
    {
        _maxLag = maxLag;
        _spill = spill;
        spill.Filled += _room.Pulse;
    }

    /// <summary>Bytes of durable records that the app has not executed yet.</summary>
    public long Lag { get; private set; }

    /// <summary>Called whenever an input begins to wait.</summary>
    public Action Held { get; init; } = static () => { };

    /// <summary>True while inputs wait.</summary>
    public bool Holding => !_stopped && Lag > _maxLag;

    /// <summary>True while the app waits for its outputs to leave, and what arrives waits for the app.</summary>
    public bool HeldAtBothEnds => Holding && _spill.Exhausted;

    /// <summary>True while an input waits; an instance's <paramref name="own"/> messages to itself move on while both ends are held.</summary>
    public bool Holds(bool own) => own ? Holding && !_spill.Exhausted : Holding;

    public ValueTask WaitForRoomAsync(bool own) => Holds(own) ? new ValueTask(WaitAsync(own)) : default;

    /// <summary>A record became durable.</summary>
    public void Logged(ulong lsn, long bytes)
    {
        _undone.Enqueue((lsn, bytes));
        Lag += bytes;
    }

    /// <summary>The app has executed everything up to this record.</summary>
    public void Consumed(ulong lsn)
    {
        bool held = Holding;
        while (_undone.TryPeek(out (ulong Lsn, long Bytes) next) && next.Lsn <= lsn)
        {
            _undone.Dequeue();
            Lag -= next.Bytes;
        }

        if (held && !Holding)
        {
            _room.Pulse();
        }
    }

    /// <summary>The instance stops: nobody waits any more.</summary>
    public void Stop()
    {
        _stopped = true;
        _room.Pulse();
    }

    private async Task WaitAsync(bool own)
    {
        Held();
        while (Holds(own))
        {
            await _room.WaitAsync();
        }
    }
}
