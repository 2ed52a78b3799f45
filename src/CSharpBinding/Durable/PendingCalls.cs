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
    private IPendingCall?[] _ring = new IPendingCall?[256];
    private Dictionary<long, IPendingCall>? _overflow;
    private int _count;

    /// <summary>The number that the next call will get.</summary>
    public long NextNumber { get; private set; } = 1;

    /// <summary>Calls that await their replies.</summary>
    public int Count => _count;

    /// <summary>Numbers the call and keeps it until <see cref="TryRemove"/>.</summary>
    public long Add(IPendingCall call)
    {
        ArgumentNullException.ThrowIfNull(call);
        long number = NextNumber++;
        call.SetNumber(number);
        Insert(number, call);
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
        if (_overflow is null || !_overflow.Remove(number, out call))
        {
            return false;
        }
        _count--;
        return true;
    }

    /// <summary>The call with this number, which stays; null if none awaits that reply (any more).</summary>
    internal IPendingCall? Find(long number) =>
        SlotOf(number) is { } found && found.Number == number ? found : _overflow?.GetValueOrDefault(number);

    /// <summary>Puts back a call that was taken out.</summary>
    internal void Return(IPendingCall call) => Insert(call.Number, call);

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
        calls.AddRange(_overflow?.Values ?? Enumerable.Empty<IPendingCall>());
        calls.Sort(static (left, right) => left.Number.CompareTo(right.Number));
        return calls.GetEnumerator();
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Puts the table into a saved state.</summary>
    internal void Restore(long nextNumber, IReadOnlyList<IPendingCall> calls)
    {
        _ring = new IPendingCall?[256];
        _overflow = null;
        _count = 0;
        NextNumber = nextNumber;
        foreach (IPendingCall call in calls)
        {
            Insert(call.Number, call);
        }
    }

    private ref IPendingCall? SlotOf(long number) => ref _ring[(int)(number & (_ring.Length - 1))];

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
            (_overflow ??= []).Add(old.Number, old);
        }
        return ref slot;
    }

    private void Widen()
    {
        IPendingCall?[] calls = _ring;
        _ring = new IPendingCall?[2 * calls.Length];
        foreach (IPendingCall? call in calls)
        {
            if (call is not null)
            {
                SlotOf(call.Number) = call;
            }
        }
    }
}
