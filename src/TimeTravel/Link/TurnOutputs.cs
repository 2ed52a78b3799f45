using System.Runtime.InteropServices;
using Ambrosia.Protocol;

namespace Ambrosia.TimeTravel.Link;

/// <summary>
/// What an app sent while it executed a stretch of the log, mark by mark: per turn, or per record, depending on how the stretch was sent.
/// Bytes are kept once; nothing is allocated per message.
/// </summary>
internal sealed class TurnOutputs
{
    private readonly List<OutputRun> _runs = [];
    private readonly List<TurnPoint> _turns = [];
    private readonly List<AppFault> _faults = [];
    private readonly List<EffectAsked> _effects = [];
    private byte[] _bytes = [];
    private int _used;

    /// <summary>Marks in the order of execution.</summary>
    public ReadOnlySpan<TurnPoint> Turns => CollectionsMarshal.AsSpan(_turns);

    /// <summary>Faults of forks and impulses, which nobody is told of.</summary>
    public IReadOnlyList<AppFault> Faults => _faults;

    /// <summary>Effects that were asked for, in that order.</summary>
    public IReadOnlyList<EffectAsked> Effects => _effects;

    /// <summary>Runs of messages to one destination.</summary>
    public ReadOnlySpan<OutputRun> Runs => CollectionsMarshal.AsSpan(_runs);

    /// <summary>Messages sent, also when their bytes are not kept.</summary>
    public long Messages { get; private set; }

    /// <summary>The runs of one mark.</summary>
    public ReadOnlySpan<OutputRun> RunsOf(int turn)
    {
        int from = turn == 0 ? 0 : _turns[turn - 1].RunsEnd;
        return Runs[from.._turns[turn].RunsEnd];
    }

    /// <summary>The messages of a run, in delivery form.</summary>
    public ReadOnlySpan<byte> BytesOf(in OutputRun run) => _bytes.AsSpan(run.Offset, run.Length);

    /// <summary>Empties it for reuse.</summary>
    public void Clear()
    {
        _runs.Clear();
        _turns.Clear();
        _faults.Clear();
        _effects.Clear();
        _used = 0;
        Messages = 0;
    }

    public void AddRun(string destination, in System.Buffers.ReadOnlySequence<byte> messages, int count, bool keep)
    {
        Messages += count;
        if (!keep)
        {
            return;
        }

        int length = checked((int)messages.Length);
        if (_bytes.Length - _used < length)
        {
            Array.Resize(ref _bytes, Math.Max(checked(_used + length), Math.Max(4096, _bytes.Length * 2)));
        }

        System.Buffers.BuffersExtensions.CopyTo(messages, _bytes.AsSpan(_used, length));
        int from = _turns.Count == 0 ? 0 : _turns[^1].RunsEnd;
        if (_runs.Count > from && _runs[^1] is var last && ReferenceEquals(last.Destination, destination))
        {
            // How runs are cut depends on buffers; only the sequence of messages means something.
            _runs[^1] = last with { Length = last.Length + length, Count = last.Count + count };
        }
        else
        {
            _runs.Add(new OutputRun(destination, _used, length, count));
        }

        _used += length;
    }

    public void AddFault(AppFault fault) => _faults.Add(fault);

    public void AddEffect(EffectAsked effect) => _effects.Add(effect);

    public void Mark(ulong lsn, int messagesDone) => _turns.Add(new TurnPoint(lsn, messagesDone, _runs.Count));
}
