using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;


namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// The one place that holds inputs back: when the app is behind its log by more than <c>--max-lag</c>. Until then the
/// log itself is the queue (G5), so that a slow app never holds up the coordinators that flood it. What an instance sends to itself
/// waits with the others, but not while the app waits for room in the scratch files: the room may have to wait for the app.
/// </summary>
internal sealed class BackPressure
{
    private const int CoarsestMark = 64 * 1024;
    private readonly ContextEvent _room = new();
    private readonly SpillBudget _spill;
    private readonly long _maxLag;
    private readonly LogMarks _marks;
    private ulong _position;
    private bool _stopped;

    public BackPressure(long maxLag, SpillBudget spill)
    {
        _maxLag = maxLag;
        _marks = new LogMarks(Math.Min(maxLag / 1024, CoarsestMark));
        _spill = spill;
        spill.Filled += _room.Pulse;
    }

    /// <summary>Bytes of durable records that the app has not executed yet.</summary>
    public long Lag => _marks.Behind;

    /// <summary>Called whenever an input begins to wait.</summary>
    public Action Held { get; init; } = static () => { };

    /// <summary>True while inputs wait.</summary>
    public bool Holding => !_stopped && Lag > _maxLag;

    /// <summary>True while the app waits for its outputs to leave, and what arrives waits for the app.</summary>
    public bool HeldAtBothEnds => Holding && _spill.HoldsApp;

    /// <summary>
    /// True while an input waits; an instance's <paramref name="own"/> messages to itself move on while both ends are held.
    /// </summary>
    public bool Holds(bool own) => own ? Holding && !_spill.HoldsApp : Holding;

    /// <summary>Waits until there may be room, or the source that waits may have ended: who waited looks again at both.</summary>
    public ValueTask WaitForRoomAsync(bool own)
    {
        if (!Holds(own))
        {
            return default;
        }

        Held();
        return new ValueTask(_room.WaitAsync());
    }

    /// <summary>A source has ended. What came from it need not wait any more, which may be for days.</summary>
    public void SourceEnded() => _room.Pulse();

    /// <summary>A record is durable: it was just made so, or a recovery has found it.</summary>
    public void Logged(ulong lsn, long bytes) => _marks.Add(lsn, bytes);

    /// <summary>An app begins with a checkpoint: it is where that is, and has everything after it before it again.</summary>
    public void Begins(ulong lsn) => MoveTo(lsn);

    /// <summary>The app has executed everything up to this record.</summary>
    public void Executed(ulong lsn)
    {
        if (lsn > _position)
        {
            MoveTo(lsn);
        }
    }

    /// <summary>No app will begin before this record any more.</summary>
    public void Forget(ulong lsn) => _marks.Forget(lsn);

    /// <summary>The instance stops: nobody waits any more.</summary>
    public void Stop()
    {
        _stopped = true;
        _room.Pulse();
    }

    private void MoveTo(ulong lsn)
    {
        bool held = Holding;
        _position = lsn;
        _marks.MoveTo(lsn);
        if (held && !Holding)
        {
            _room.Pulse();
        }
    }
}
