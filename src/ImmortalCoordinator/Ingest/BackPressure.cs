using Ambrosia.ImmortalCoordinator.Core;

namespace Ambrosia.ImmortalCoordinator.Ingest;

/// <summary>
/// The one place that holds inputs back: when the app is behind its log by more than <c>--max-lag</c>. Until then the
/// log itself is the queue (G5), so that a slow app never holds up the coordinators that flood it.
/// </summary>
internal sealed class BackPressure(long maxLag)
{
    private readonly ContextEvent _room = new();
    private readonly Queue<(ulong Lsn, long Bytes)> _undone = new();
    private bool _stopped;

    /// <summary>Bytes of durable records that the app has not executed yet.</summary>
    public long Lag { get; private set; }

    /// <summary>True while inputs wait.</summary>
    public bool Holding => !_stopped && Lag > maxLag;

    public ValueTask WaitForRoomAsync() => Holding ? new ValueTask(WaitAsync()) : default;

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

    private async Task WaitAsync()
    {
        while (Holding)
        {
            await _room.WaitAsync();
        }
    }
}
