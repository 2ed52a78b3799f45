using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// What the core wants logged with whatever records come next: trims, digests of turns, marks of messages that kill, upgrades, builds.
/// Filled on the core's context, emptied where a record is made, once per record, and never by more than <paramref name="limits"/> say:
/// what waited for long goes into many records.
/// </summary>
internal sealed class PendingMarks(CoreLimits limits)
{
    private readonly object _gate = new();
    private readonly Dictionary<string, TrimPoint> _trims = [];
    private readonly Queue<TurnDigest> _turns = new();
    private readonly Queue<QuarantineStep> _poison = new();
    private readonly Queue<VersionChange> _upgrades = new();
    private readonly Queue<BuildStep> _builds = new();
    private readonly Queue<DropPoint> _drops = new();
    private readonly Dictionary<InputState, InputWatermark> _gaps = [];
    private OutsideMarks? _outside;
    private long _largestMessage;
    private AwakeableKey? _awakeables;

    /// <summary>Called when as many digests wait as one record takes: a record is due, although nothing may have arrived.</summary>
    public Action Full { get; set; } = static () => { };

    /// <summary>False when a record is wanted for what waits. A limit waits for a record that is made anyway.</summary>
    public bool IsEmpty
    {
        get
        {
            lock (_gate)
            {
                return _trims.Count + _turns.Count + _poison.Count + _upgrades.Count + _builds.Count + _drops.Count + _gaps.Count == 0
                    && _outside is null;
            }
        }
    }

    /// <summary>True while as many digests wait as one record takes, or as many trims: a destination may wait for being named.</summary>
    public bool IsFull
    {
        get
        {
            lock (_gate)
            {
                return _turns.Count >= limits.DigestsPerRecord || _trims.Count >= limits.MarksPerRecord;
            }
        }
    }

    public void Add(TrimPoint trim)
    {
        lock (_gate)
        {
            _trims[trim.Destination] = trim;
        }
    }

    public void Add(TurnDigest turn)
    {
        bool full;
        lock (_gate)
        {
            _turns.Enqueue(turn);
            full = _turns.Count >= limits.DigestsPerRecord;
        }

        if (full)
        {
            Full();
        }
    }

    public void Add(QuarantineStep mark)
    {
        lock (_gate)
        {
            _poison.Enqueue(mark);
        }
    }

    public void Add(VersionChange mark)
    {
        lock (_gate)
        {
            _upgrades.Enqueue(mark);
            if (mark.Build.Length > 0)
            {
                _builds.Enqueue(new BuildStep(mark.At, mark.Build));
            }
        }
    }

    public void Add(BuildStep mark)
    {
        lock (_gate)
        {
            _builds.Enqueue(mark);
        }
    }

    public void Add(DropPoint mark)
    {
        lock (_gate)
        {
            _drops.Enqueue(mark);
        }
    }

    /// <summary>Lines of calls from outside are forgotten.</summary>
    public void Add(OutsideMarks marks)
    {
        lock (_gate)
        {
            (_outside ??= new OutsideMarks()).Add(marks, 0);
        }
    }

    /// <summary>
    /// The watermark of an input has moved without a message. It is logged before anything that is accepted of this input from now on, or
    /// together with it: pages become records in the order in which they were filled.
    /// </summary>
    public void AddGap(InputState input, InputWatermark mark)
    {
        lock (_gate)
        {
            _gaps[input] = mark;
        }
    }

    /// <summary>The next record says how large a message may be that a handler sends from that record on.</summary>
    public void Limit(long largestMessage)
    {
        lock (_gate)
        {
            _largestMessage = largestMessage;
        }
    }

    /// <summary>The next record says by what awakeables are named from that record on.</summary>
    public void NameAwakeables(AwakeableKey key)
    {
        lock (_gate)
        {
            _awakeables = key;
        }
    }

    public void MoveTo(PageMarks marks)
    {
        lock (_gate)
        {
            MoveTrims(marks.Trims);
            MoveTurns(marks.Turns);
            Move(_poison, marks.Poison);
            Move(_upgrades, marks.Upgrades);
            Move(_builds, marks.Builds);
            Move(_drops, marks.Drops);
            foreach ((InputState input, InputWatermark mark) in _gaps)
            {
                marks.AddGap(input, mark);
            }

            _gaps.Clear();
            if (_outside is not null)
            {
                marks.AddOutside(_outside, 0);
                _outside = null;
            }

            (marks.LargestMessage, _largestMessage) = (_largestMessage, 0);
            (marks.Awakeables, _awakeables) = (_awakeables, null);
        }
    }

    private void MoveTrims(List<TrimPoint> trims)
    {
        if (_trims.Count <= limits.MarksPerRecord)
        {
            trims.AddRange(_trims.Values);
            _trims.Clear();
            return;
        }

        limits.Decided(CoreLimit.Marks);
        trims.AddRange(_trims.Values.Take(limits.MarksPerRecord));
        trims.ForEach(trim => _trims.Remove(trim.Destination));
    }

    private void MoveTurns(List<TurnDigest> turns)
    {
        long bytes = 0;
        while (turns.Count < limits.DigestsPerRecord && _turns.TryPeek(out TurnDigest? turn)
            && (bytes += turn.MaxSize) <= Math.Max(limits.DigestBytesPerRecord, turn.MaxSize))
        {
            turns.Add(_turns.Dequeue());
        }

        if (_turns.Count > 0)
        {
            limits.Decided(CoreLimit.Digests);
        }
    }

    private void Move<T>(Queue<T> from, List<T> to)
    {
        while (to.Count < limits.MarksPerRecord && from.TryDequeue(out T? mark))
        {
            to.Add(mark);
        }

        if (from.Count > 0)
        {
            limits.Decided(CoreLimit.Marks);
        }
    }
}
