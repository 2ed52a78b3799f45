using System.Diagnostics.CodeAnalysis;

namespace Ambrosia.Runtime;

/// <summary>
/// Hash table whose enumeration order is the order of insertion, whatever was removed in between. Every entry carries a
/// sequence number that never changes, so that an enumeration can go on after the table was changed, compacted, or saved and restored.
/// </summary>
internal sealed class OrderedTable<TKey, TValue>(IEqualityComparer<TKey>? comparer)
{
    private const int Hole = -2;
    private const int EndOfChain = -1;

    private int[] _buckets = []; // 1-based index of the first entry, 0 = empty.
    private Entry[] _entries = [];
    private int _used;

    public IEqualityComparer<TKey> Comparer { get; } = comparer ?? EqualityComparer<TKey>.Default;

    public int Count { get; private set; }

    /// <summary>The sequence number of the next entry; the first is 1.</summary>
    public long NextSequence { get; private set; } = 1;

    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        int index = Find(key);
        value = index < 0 ? default : _entries[index].Value;
        return index >= 0;
    }

    public bool Contains(TKey key) => Find(key) >= 0;

    /// <summary>Adds the entry, or replaces the value of a present one, which keeps its place; false when nothing was changed.</summary>
    public bool Insert(TKey key, TValue value, bool replace)
    {
        int index = Find(key);
        if (index < 0)
        {
            Append(NextSequence, key, value);
            return true;
        }
        if (replace)
        {
            _entries[index].Value = value;
        }
        return replace;
    }

    /// <summary>Adds an entry of a saved table.</summary>
    public void Append(long sequence, TKey key, TValue value)
    {
        if (_used == _entries.Length)
        {
            MakeRoom();
        }
        int hash = HashOf(key);
        ref int bucket = ref BucketOf(hash);
        _entries[_used] = new Entry { Sequence = sequence, Hash = hash, Next = bucket - 1, Key = key, Value = value };
        bucket = ++_used;
        Count++;
        NextSequence = sequence + 1;
    }

    /// <summary>Continues the numbering of a saved table.</summary>
    public void ContinueAt(long nextSequence) => NextSequence = nextSequence;

    public bool Remove(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        value = default;
        if (Count == 0)
        {
            return false;
        }
        int hash = HashOf(key);
        int previous = EndOfChain;
        for (int index = BucketOf(hash) - 1; index >= 0; previous = index, index = _entries[index].Next)
        {
            ref Entry entry = ref _entries[index];
            if (entry.Hash == hash && Comparer.Equals(entry.Key, key))
            {
                value = entry.Value;
                Unlink(hash, previous, entry.Next);
                entry = new Entry { Sequence = entry.Sequence, Next = Hole };
                Count--;
                return true;
            }
        }
        return false;
    }

    public void Clear()
    {
        Array.Clear(_buckets);
        Array.Clear(_entries, 0, _used);
        _used = 0;
        Count = 0;
    }

    /// <summary>The entry that follows the one with sequence number <paramref name="last"/> (0 = the first); false at the end.</summary>
    /// <param name="last">Moves on to the entry found.</param>
    /// <param name="hint">Where it probably lies; any value is correct, a good one is fast.</param>
    /// <param name="key">Its key.</param>
    /// <param name="value">Its value.</param>
    public bool Next(ref long last, ref int hint, [MaybeNullWhen(false)] out TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        int index = IsFirstAfter(last, hint) ? hint : FirstAfter(last);
        while (index < _used && _entries[index].Next == Hole)
        {
            index++;
        }
        if (index == _used)
        {
            key = default;
            value = default;
            return false;
        }
        ref Entry entry = ref _entries[index];
        last = entry.Sequence;
        hint = index + 1;
        key = entry.Key;
        value = entry.Value;
        return true;
    }

    private bool IsFirstAfter(long last, int index) => (uint)index <= (uint)_used
        && (index == 0 || _entries[index - 1].Sequence <= last)
        && (index == _used || _entries[index].Sequence > last);

    private int FirstAfter(long last)
    {
        int low = 0;
        int high = _used;
        while (low < high)
        {
            int middle = (low + high) >>> 1;
            if (_entries[middle].Sequence <= last)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }
        return low;
    }

    private int Find(TKey key)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (Count == 0)
        {
            return -1;
        }
        int hash = HashOf(key);
        int index = BucketOf(hash) - 1;
        while (index >= 0 && !(_entries[index].Hash == hash && Comparer.Equals(_entries[index].Key, key)))
        {
            index = _entries[index].Next;
        }
        return index;
    }

    private int HashOf(TKey key) => Comparer.GetHashCode(key!);

    private ref int BucketOf(int hash) => ref _buckets[hash & (_buckets.Length - 1)];

    private void Unlink(int hash, int previous, int next)
    {
        if (previous == EndOfChain)
        {
            BucketOf(hash) = next + 1;
        }
        else
        {
            _entries[previous].Next = next;
        }
    }

    private void MakeRoom()
    {
        Entry[] entries = Count > _used / 2 || _used == 0 ? new Entry[Math.Max(4, checked(2 * _used))] : new Entry[_entries.Length];
        int[] buckets = new int[entries.Length];
        int used = 0;
        for (int i = 0; i < _used; i++)
        {
            if (_entries[i].Next != Hole)
            {
                ref int bucket = ref buckets[_entries[i].Hash & (buckets.Length - 1)];
                entries[used] = _entries[i];
                entries[used].Next = bucket - 1;
                bucket = ++used;
            }
        }
        _entries = entries;
        _buckets = buckets;
        _used = used;
    }

    private struct Entry
    {
        public long Sequence;
        public int Hash;
        public int Next; // Index of the next entry in the bucket, EndOfChain, or Hole.
        public TKey Key;
        public TValue Value;
    }
}
