using System.Collections;
using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;

namespace Ambrosia.Runtime;

/// <summary>
/// The calls of one immortal that await their replies, by number. Numbers count from 1 without gaps and are never used
/// twice, so that a replica gives every call the number it had. Saved as the next number and the calls in the order of
/// their numbers, whatever the table went through.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class PendingCalls : IEnumerable<IPendingCall>
{
    // Replies come roughly in the order of the calls: a ring finds them without hashing. A call that stays much longer
    // than its followers moves over to the dictionary instead of making the ring grow without end.
    private const int LargestRing = 1 << 16;
    private const int SmallestRing = 256;
    private IPendingCall?[] _ring = new IPendingCall?[SmallestRing];

    // Beside the ring and not in the calls: nothing is allocated for a note, and no field of the saved state changes.
    private CallNote[] _notes = new CallNote[SmallestRing];
    private Dictionary<long, (IPendingCall Call, CallNote Note)>? _overflow;
    private (long Number, CallNote Note) _takenOut; // From the overflow, where a note goes with its call.
    private int _count;

    /// <summary>The number that the next call will get.</summary>
    public long NextNumber { get; private set; } = 1;

    /// <summary>Calls that await their replies.</summary>
    public int Count => _count;

    /// <summary>What people are told of the call that is added next. Said when a message that is answered begins.</summary>
    internal CallNote NextNote { get; set; }

    /// <summary>Numbers the call and keeps it until <see cref="TryRemove"/>.</summary>
    public long Add(IPendingCall call)
    {
        ArgumentNullException.ThrowIfNull(call);
        long number = NextNumber++;
        call.SetNumber(number);
        Insert(number, call);
        NoteOf(number) = NextNote;
        return number;
    }

    /// <summary>Takes the call with this number out of the table; false if none awaits that reply (any more).</summary>
    public bool TryRemove(long number, [NotNullWhen(true)] out IPendingCall? call)
    {
        ref IPendingCall? slot = ref SlotOf(number);
        if (slot is { } found && found.Number == number)
        {
            call = found;
            slot = null;
            _count--;
            return true;
        }
        call = null;
        if (_overflow is null || !_overflow.Remove(number, out (IPendingCall Call, CallNote Note) kept))
        {
            return false;
        }
        call = kept.Call;
        _takenOut = (number, kept.Note);
        _count--;
        return true;
    }

    /// <summary>The call with this number, which stays; null if none awaits that reply (any more).</summary>
    internal IPendingCall? Find(long number) =>
        SlotOf(number) is { } found && found.Number == number ? found : _overflow?.GetValueOrDefault(number).Call;

    /// <summary>Puts back the call that was taken out last.</summary>
    internal void Return(IPendingCall call)
    {
        Insert(call.Number, call);
        if (_takenOut.Number == call.Number)
        {
            NoteOf(call.Number) = _takenOut.Note;
        }
    }

    /// <summary>The calls with what people are told of them, in no order. Looking at them changes nothing.</summary>
    internal IEnumerable<(IPendingCall Call, CallNote Note)> WithNotes()
    {
        for (int i = 0; i < _ring.Length; i++)
        {
            if (_ring[i] is { } call)
            {
                yield return (call, _notes[i]);
            }
        }
        foreach ((IPendingCall Call, CallNote Note) kept in _overflow?.Values ?? Enumerable.Empty<(IPendingCall, CallNote)>())
        {
            yield return kept;
        }
    }

    /// <summary>The calls in the order of their numbers.</summary>
    public IEnumerator<IPendingCall> GetEnumerator()
    {
        List<IPendingCall> calls = new(_count);
        foreach (IPendingCall? call in _ring)
        {
            if (call is not null)
            {
                calls.Add(call);
            }
        }
        calls.AddRange(_overflow?.Values.Select(static kept => kept.Call) ?? []);
        calls.Sort(static (left, right) => left.Number.CompareTo(right.Number));
        return calls.GetEnumerator();
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Puts the table into a saved state.</summary>
    internal void Restore(long nextNumber, IReadOnlyList<IPendingCall> calls)
    {
        (_ring, _notes) = (new IPendingCall?[SmallestRing], new CallNote[SmallestRing]);
        _overflow = null;
        _count = 0;
        NextNumber = nextNumber;
        foreach (IPendingCall call in calls)
        {
            Insert(call.Number, call);
        }
    }

    private ref IPendingCall? SlotOf(long number) => ref _ring[(int)(number & (_ring.Length - 1))];

    private ref CallNote NoteOf(long number) => ref _notes[(int)(number & (_notes.Length - 1))];

    private void Insert(long number, IPendingCall call)
    {
        ref IPendingCall? slot = ref SlotOf(number);
        if (slot is not null)
        {
            slot = ref MakeRoom(number);
        }
        slot = call;
        _count++;
    }

    private ref IPendingCall? MakeRoom(long number)
    {
        while (SlotOf(number) is not null && _count > _ring.Length / 2 && _ring.Length < LargestRing)
        {
            Widen();
        }
        ref IPendingCall? slot = ref SlotOf(number);
        if (slot is { } old)
        {
            (_overflow ??= []).Add(old.Number, (old, NoteOf(number)));
            NoteOf(number) = default;
        }
        return ref slot;
    }

    private void Widen()
    {
        (IPendingCall?[] calls, CallNote[] notes) = (_ring, _notes);
        (_ring, _notes) = (new IPendingCall?[2 * calls.Length], new CallNote[2 * calls.Length]);
        for (int i = 0; i < calls.Length; i++)
        {
            if (calls[i] is { } call)
            {
                SlotOf(call.Number) = call;
                NoteOf(call.Number) = notes[i];
            }
        }
    }
}
