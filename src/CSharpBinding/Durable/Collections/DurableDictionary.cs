using System.Collections;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Ambrosia.Runtime;

namespace Ambrosia;

/// <summary>
/// A dictionary for immortals: it enumerates in the order of insertion, also after removals and after recovery, so that
/// every replica sends in the same order. A replaced value keeps its place. It may be changed while it is enumerated, and an
/// enumeration may reach over an <c>await</c>: entries added meanwhile are visited, removed ones are not.
/// </summary>
[DebuggerDisplay("Count = {Count}")]
[SuppressMessage("Naming", "CA1710", Justification = "Named after its role, as Dictionary is.")]
public sealed class DurableDictionary<TKey, TValue> : IDictionary<TKey, TValue>, IReadOnlyDictionary<TKey, TValue>
    where TKey : notnull
{
    /// <summary>An empty dictionary.</summary>
    public DurableDictionary()
        : this((IEqualityComparer<TKey>?)null)
    {
    }

    /// <summary>An empty dictionary. A comparer of one's own is part of the state.</summary>
    public DurableDictionary(IEqualityComparer<TKey>? comparer) => Table = new OrderedTable<TKey, TValue>(comparer);

    /// <summary>A dictionary of the given entries.</summary>
    /// <exception cref="ArgumentException">Two entries have the same key.</exception>
    public DurableDictionary(IEnumerable<KeyValuePair<TKey, TValue>> entries, IEqualityComparer<TKey>? comparer = null)
        : this(comparer)
    {
        ArgumentNullException.ThrowIfNull(entries);
        foreach (KeyValuePair<TKey, TValue> entry in entries)
        {
            Add(entry.Key, entry.Value);
        }
    }

    internal OrderedTable<TKey, TValue> Table { get; }

    /// <inheritdoc cref="IReadOnlyCollection{T}.Count"/>
    public int Count => Table.Count;

    /// <summary>Compares the keys.</summary>
    public IEqualityComparer<TKey> Comparer => Table.Comparer;

    /// <summary>The keys in the order of insertion; a live view.</summary>
    public DurableKeys<TKey, TValue> Keys => new(this);

    /// <summary>The values in the order of insertion of their keys; a live view.</summary>
    public DurableValues<TKey, TValue> Values => new(this);

    bool ICollection<KeyValuePair<TKey, TValue>>.IsReadOnly => false;

    ICollection<TKey> IDictionary<TKey, TValue>.Keys => Keys;

    ICollection<TValue> IDictionary<TKey, TValue>.Values => Values;

    IEnumerable<TKey> IReadOnlyDictionary<TKey, TValue>.Keys => Keys;

    IEnumerable<TValue> IReadOnlyDictionary<TKey, TValue>.Values => Values;

    /// <summary>The value of a key; setting it adds the key if it is missing.</summary>
    /// <exception cref="KeyNotFoundException">The key is missing (get).</exception>
    public TValue this[TKey key]
    {
        get => Table.TryGet(key, out TValue? value) ? value : throw new KeyNotFoundException($"The key '{key}' is not in the dictionary.");
        set => Table.Insert(key, value, replace: true);
    }

    /// <summary>Adds an entry.</summary>
    /// <exception cref="ArgumentException">The key is present already.</exception>
    public void Add(TKey key, TValue value)
    {
        if (!TryAdd(key, value))
        {
            throw new ArgumentException($"The key '{key}' is in the dictionary already.", nameof(key));
        }
    }

    /// <summary>Adds an entry unless the key is present.</summary>
    public bool TryAdd(TKey key, TValue value) => Table.Insert(key, value, replace: false);

    /// <summary>True if the key is present.</summary>
    public bool ContainsKey(TKey key) => Table.Contains(key);

    /// <summary>Gets the value of a key if it is present.</summary>
    public bool TryGetValue(TKey key, [MaybeNullWhen(false)] out TValue value) => Table.TryGet(key, out value);

    /// <summary>The value of a key, or default if it is missing.</summary>
    public TValue? GetValueOrDefault(TKey key) => Table.TryGet(key, out TValue? value) ? value : default;

    /// <summary>The value of a key, or the given one if it is missing.</summary>
    public TValue GetValueOrDefault(TKey key, TValue missing) => Table.TryGet(key, out TValue? value) ? value : missing;

    /// <summary>Removes a key; false if it is missing.</summary>
    public bool Remove(TKey key) => Remove(key, out _);

    /// <summary>Removes a key and gets what it had; false if it is missing.</summary>
    public bool Remove(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        ArgumentNullException.ThrowIfNull(key);
        return Table.Remove(key, out value);
    }

    /// <summary>Removes everything.</summary>
    public void Clear() => Table.Clear();

    /// <summary>Enumerates in the order of insertion.</summary>
    public Enumerator GetEnumerator() => new(this);

    IEnumerator<KeyValuePair<TKey, TValue>> IEnumerable<KeyValuePair<TKey, TValue>>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    void ICollection<KeyValuePair<TKey, TValue>>.Add(KeyValuePair<TKey, TValue> item) => Add(item.Key, item.Value);

    bool ICollection<KeyValuePair<TKey, TValue>>.Contains(KeyValuePair<TKey, TValue> item) =>
        Table.TryGet(item.Key, out TValue? value) && EqualityComparer<TValue>.Default.Equals(value, item.Value);

    bool ICollection<KeyValuePair<TKey, TValue>>.Remove(KeyValuePair<TKey, TValue> item) =>
        ((ICollection<KeyValuePair<TKey, TValue>>)this).Contains(item) && Remove(item.Key);

    void ICollection<KeyValuePair<TKey, TValue>>.CopyTo(KeyValuePair<TKey, TValue>[] array, int arrayIndex)
    {
        foreach (KeyValuePair<TKey, TValue> entry in this)
        {
            array[arrayIndex++] = entry;
        }
    }

    /// <summary>A place in the dictionary; may be held over an <c>await</c>.</summary>
    public struct Enumerator : IEnumerator<KeyValuePair<TKey, TValue>>
    {
        private readonly DurableDictionary<TKey, TValue> _dictionary;
        private long _last;
        [NotSaved]
        private int _hint; // A restored dictionary is laid out differently; see OrderedTable.Next.
        private KeyValuePair<TKey, TValue> _current;

        internal Enumerator(DurableDictionary<TKey, TValue> dictionary) => _dictionary = dictionary;

        /// <inheritdoc/>
        public readonly KeyValuePair<TKey, TValue> Current => _current;

        readonly object IEnumerator.Current => _current;

        /// <inheritdoc/>
        public bool MoveNext()
        {
            if (!_dictionary.Table.Next(ref _last, ref _hint, out TKey? key, out TValue? value))
            {
                _current = default;
                return false;
            }
            _current = new KeyValuePair<TKey, TValue>(key, value);
            return true;
        }

        /// <inheritdoc/>
        public void Reset() => this = new Enumerator(_dictionary);

        /// <inheritdoc/>
        public readonly void Dispose()
        {
        }
    }
}
