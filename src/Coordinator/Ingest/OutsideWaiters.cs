using Ambrosia.Coordinator.Outside;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>Which clients wait for which call from outside: in memory only, on the core's context.</summary>
internal sealed class OutsideWaiters
{
    private readonly Dictionary<ulong, OutsideWaiter> _first = [];

    /// <summary>How many wait.</summary>
    public int Count { get; private set; }

    /// <summary>Everybody, in no order.</summary>
    public IEnumerable<OutsideWaiter> All
    {
        get
        {
            foreach (OutsideWaiter first in _first.Values)
            {
                for (OutsideWaiter? each = first; each is not null; each = each.Next)
                {
                    yield return each;
                }
            }
        }
    }

    /// <summary>Somebody waits for the call whose number it has.</summary>
    public void Add(OutsideWaiter waiter)
    {
        waiter.Next = _first.GetValueOrDefault(waiter.Number);
        _first[waiter.Number] = waiter;
        Count++;
    }

    /// <summary>Somebody waits no more.</summary>
    public void Remove(OutsideWaiter waiter)
    {
        OutsideWaiter? before = null;
        OutsideWaiter? each = _first.GetValueOrDefault(waiter.Number);
        for (; each is not null && each != waiter; each = each.Next)
        {
            before = each;
        }

        Count -= each is null ? 0 : 1;
        if (each is not null && before is not null)
        {
            before.Next = each.Next;
        }
        else if (each?.Next is { } next)
        {
            _first[waiter.Number] = next;
        }
        else if (each is not null)
        {
            _first.Remove(waiter.Number);
        }
    }

    /// <summary>Tells all clients that wait for a call.</summary>
    public void Tell(ulong number, in OutsideReply reply)
    {
        if (_first.Remove(number, out OutsideWaiter? waiter))
        {
            for (; waiter is not null; waiter = waiter.Next)
            {
                waiter.Tell(reply);
                Count--;
            }
        }
    }

    /// <summary>Nobody waits any more.</summary>
    public void Clear()
    {
        _first.Clear();
        Count = 0;
    }
}
