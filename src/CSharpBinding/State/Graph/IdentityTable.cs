using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>
/// Numbers objects in the order of their first reference. Open addressing: half the time and memory of a Dictionary with a reference
/// comparer.
/// </summary>
internal sealed class IdentityTable
{
    private int[] _slots = new int[256]; // Id + 1; 0 = free.
    private object[] _objects = new object[128];

    public int Count { get; private set; }

    public object this[int id] => _objects[id];

    /// <summary>The number of the object; true if it was not in the table before.</summary>
    public bool Add(object item, out int id)
    {
        int mask = _slots.Length - 1;
        int at = Spread(item) & mask;
        while (_slots[at] != 0)
        {
            id = _slots[at] - 1;
            if (ReferenceEquals(_objects[id], item))
            {
                return false;
            }
            at = (at + 1) & mask;
        }
        id = Count;
        if (id == _objects.Length)
        {
            Grow();
            _objects[id] = item;
            Count++;
            Place(_slots, item, id);
            return true;
        }
        _objects[id] = item;
        _slots[at] = ++Count;
        return true;
    }

    private static int Spread(object item)
    {
        uint hash = (uint)RuntimeHelpers.GetHashCode(item) * 0x9E3779B1u;
        return (int)(hash ^ (hash >> 15));
    }

    private static void Place(int[] slots, object item, int id)
    {
        int mask = slots.Length - 1;
        int at = Spread(item) & mask;
        while (slots[at] != 0)
        {
            at = (at + 1) & mask;
        }
        slots[at] = id + 1;
    }

    private void Grow()
    {
        Array.Resize(ref _objects, checked(2 * _objects.Length));
        int[] slots = new int[checked(2 * _slots.Length)];
        for (int id = 0; id < Count; id++)
        {
            Place(slots, _objects[id], id);
        }
        _slots = slots;
    }
}
