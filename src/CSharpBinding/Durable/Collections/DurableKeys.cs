using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace Ambrosia;

/// <summary>
/// The keys of a <see cref="DurableDictionary{TKey, TValue}"/> in the order of insertion: a live view, which may be enumerated over an
/// <c>await</c>.
/// </summary>
[SuppressMessage("Naming", "CA1710", Justification = "Named after its role.")]
public readonly struct DurableKeys<TKey, TValue> : ICollection<TKey>, IReadOnlyCollection<TKey>
    where TKey : notnull
{
    private readonly DurableDictionary<TKey, TValue> _dictionary;

    internal DurableKeys(DurableDictionary<TKey, TValue> dictionary) => _dictionary = dictionary;

    /// <inheritdoc cref="IReadOnlyCollection{T}.Count"/>
    public int Count => _dictionary.Count;

    bool ICollection<TKey>.IsReadOnly => true;

    /// <inheritdoc/>
    public bool Contains(TKey item) => _dictionary.ContainsKey(item);

    /// <inheritdoc/>
    public void CopyTo(TKey[] array, int arrayIndex)
    {
        ArgumentNullException.ThrowIfNull(array);
        foreach (TKey item in this)
        {
            array[arrayIndex++] = item;
        }
    }

    /// <summary>Enumerates in the order of insertion.</summary>
    public Enumerator GetEnumerator() => new(_dictionary);

    IEnumerator<TKey> IEnumerable<TKey>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    void ICollection<TKey>.Add(TKey item) => throw ReadOnly();

    bool ICollection<TKey>.Remove(TKey item) => throw ReadOnly();

    void ICollection<TKey>.Clear() => throw ReadOnly();

    private static NotSupportedException ReadOnly() => new("Change the dictionary, not the view of its keys.");

    /// <summary>A place in the dictionary; may be held over an <c>await</c>.</summary>
    public struct Enumerator : IEnumerator<TKey>
    {
        private DurableDictionary<TKey, TValue>.Enumerator _entries;

        internal Enumerator(DurableDictionary<TKey, TValue> dictionary) => _entries = dictionary.GetEnumerator();

        /// <inheritdoc/>
        public readonly TKey Current => _entries.Current.Key;

        readonly object? IEnumerator.Current => Current;

        /// <inheritdoc/>
        public bool MoveNext() => _entries.MoveNext();

        /// <inheritdoc/>
        public void Reset() => _entries.Reset();

        /// <inheritdoc/>
        public readonly void Dispose()
        {
        }
    }
}
