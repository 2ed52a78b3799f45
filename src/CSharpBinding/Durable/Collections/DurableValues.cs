using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace Ambrosia;

/// <summary>
/// The values of a <see cref="DurableDictionary{TKey, TValue}"/> in the order of insertion: a live view, which may be enumerated over an
/// <c>await</c>.
/// </summary>
[SuppressMessage("Naming", "CA1710", Justification = "Named after its role.")]
public readonly struct DurableValues<TKey, TValue> : ICollection<TValue>, IReadOnlyCollection<TValue>
    where TKey : notnull
{
    private readonly DurableDictionary<TKey, TValue> _dictionary;

    internal DurableValues(DurableDictionary<TKey, TValue> dictionary) => _dictionary = dictionary;

    /// <inheritdoc cref="IReadOnlyCollection{T}.Count"/>
    public int Count => _dictionary.Count;

    bool ICollection<TValue>.IsReadOnly => true;

    /// <inheritdoc/>
    public bool Contains(TValue item)
    {
        foreach (TValue value in this)
        {
            if (EqualityComparer<TValue>.Default.Equals(value, item))
            {
                return true;
            }
        }
        return false;
    }

    /// <inheritdoc/>
    public void CopyTo(TValue[] array, int arrayIndex)
    {
        ArgumentNullException.ThrowIfNull(array);
        foreach (TValue item in this)
        {
            array[arrayIndex++] = item;
        }
    }

    /// <summary>Enumerates in the order of insertion.</summary>
    public Enumerator GetEnumerator() => new(_dictionary);

    IEnumerator<TValue> IEnumerable<TValue>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    void ICollection<TValue>.Add(TValue item) => throw ReadOnly();

    bool ICollection<TValue>.Remove(TValue item) => throw ReadOnly();

    void ICollection<TValue>.Clear() => throw ReadOnly();

    private static NotSupportedException ReadOnly() => new("Change the dictionary, not the view of its values.");

    /// <summary>A place in the dictionary; may be held over an <c>await</c>.</summary>
    public struct Enumerator : IEnumerator<TValue>
    {
        private DurableDictionary<TKey, TValue>.Enumerator _entries;

        internal Enumerator(DurableDictionary<TKey, TValue> dictionary) => _entries = dictionary.GetEnumerator();

        /// <inheritdoc/>
        public readonly TValue Current => _entries.Current.Value;

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
