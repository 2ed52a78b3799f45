using Ambrosia.ImmortalCoordinator.Poison;
using Ambrosia.ImmortalCoordinator.Upgrading;

namespace Ambrosia.ImmortalCoordinator.Ingest;

/// <summary>
/// What the core wants logged with whatever record comes next: trims, digests of turns, marks of messages that kill, upgrades. Filled on the core's context,
/// emptied where a record is made, once per record.
/// </summary>
internal sealed class PendingMarks
{
    private readonly object _gate = new();
    private readonly Dictionary<string, TrimMark> _trims = [];
    private readonly Queue<TurnDigest> _turns = new();
    private readonly Queue<PoisonMark> _poison = new();
    private readonly Queue<UpgradeMark> _upgrades = new();

    public bool IsEmpty
    {
        get
        {
            lock (_gate)
            {
                return _trims.Count + _turns.Count + _poison.Count + _upgrades.Count == 0;
            }
        }
    }

    public void Add(TrimMark trim)
    {
        lock (_gate)
        {
            _trims[trim.Destination] = trim;
        }
    }

    public void Add(TurnDigest turn)
    {
        lock (_gate)
        {
            _turns.Enqueue(turn);
        }
    }

    public void Add(PoisonMark mark)
    {
        lock (_gate)
        {
            _poison.Enqueue(mark);
        }
    }

    public void Add(UpgradeMark mark)
    {
        lock (_gate)
        {
            _upgrades.Enqueue(mark);
        }
    }

    public void MoveTo(PageMarks marks)
    {
        lock (_gate)
        {
            marks.Trims.AddRange(_trims.Values);
            _trims.Clear();
            marks.Turns.AddRange(_turns);
            _turns.Clear();
            marks.Poison.AddRange(_poison);
            _poison.Clear();
            marks.Upgrades.AddRange(_upgrades);
            _upgrades.Clear();
        }
    }
}
