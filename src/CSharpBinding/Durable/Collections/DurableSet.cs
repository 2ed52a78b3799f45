using System.Collections;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Ambrosia.Runtime;

namespace Ambrosia;

/// <summary>
/// A set for immortals: it enumerates in the order of insertion, also after removals and after recovery, so that every replica sends
/// in the same order. It may be changed while it is enumerated, and an enumeration may reach over an <c>await</c>.
/// </summary>
[DebuggerDisplay("Count = {Count}")]
[SuppressMessage("Naming", "CA1710", Justification = "Named after its role, as HashSet is.")]
public sealed class DurableSet<T> : ICollection<T>, IReadOnlyCollection<T>
    where T : notnull
{
    /// <summary>An empty set.</summary>
    public DurableSet()
        : this((IEqualityComparer<T>?)null)
    {
    }

    /// <summary>An empty set. A comparer of one's own is part of the state.</summary>
    public DurableSet(IEqualityComparer<T>? comparer) => Table = new OrderedTable<T, Nothing>(comparer);

    /// <summary>A set of the given items, each once.</summary>
    public DurableSet(IEnumerable<T> items, IEqualityComparer<T>? comparer = null)
        : this(comparer) => UnionWith(items);

    internal OrderedTable<T, Nothing> Table { get; }

    /// <inheritdoc cref="IReadOnlyCollection{T}.Count"/>
    public int Count => Table.Count;

    /// <summary>Compares the items.</summary>
    public IEqualityComparer<T> Comparer => Table.Comparer;

    bool ICollection<T>.IsReadOnly => false;

    /// <summary>Adds an item; false if it is present already.</summary>
    public bool Add(T item) => Table.Insert(item, default, replace: false);

    /// <summary>True if the item is present.</summary>
    public bool Contains(T item) => Table.Contains(item);

    /// <summary>Removes an item; false if it is missing.</summary>
    public bool Remove(T item)
    {
        ArgumentNullException.ThrowIfNull(item);
        return Table.Remove(item, out _);
    }

    /// <summary>Removes everything.</summary>
    public void Clear() => Table.Clear();

    /// <summary>Adds every item that is missing.</summary>
    public void UnionWith(IEnumerable<T> items)
    {
        ArgumentNullException.ThrowIfNull(items);
        foreach (T item in items)
        {
            Add(item);
        }
    }

    /// <summary>Removes every given item that is present.</summary>
    public void ExceptWith(IEnumerable<T> items)
    {
        ArgumentNullException.ThrowIfNull(items);
        foreach (T item in ReferenceEquals(items, this) ? [.. items] : items)
        {
            Remove(item);
        }
    }

    /// <inheritdoc/>
    public void CopyTo(T[] array, int arrayIndex)
    {
        ArgumentNullException.ThrowIfNull(array);
        foreach (T item in this)
        {
            array[arrayIndex++] = item;
        }
    }

    /// <summary>Enumerates in the order of insertion.</summary>
    public Enumerator GetEnumerator() => new(this);

    IEnumerator<T> IEnumerable<T>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    void ICollection<T>.Add(T item) => Add(item);

    /// <summary>A place in the set; may be held over an <c>await</c>.</summary>
    public struct Enumerator : IEnumerator<T>
    {
        private readonly DurableSet<T> _set;
        private long _last;
        [NotSaved]
        private int _hint; // A restored set is laid out differently; see OrderedTable.Next.
        private T? _current;

        internal Enumerator(DurableSet<T> set) => _set = set;

        /// <inheritdoc/>
        public readonly T Current => _current!;

        readonly object IEnumerator.Current => _current!;

        /// <inheritdoc/>
        public bool MoveNext() => _set.Table.Next(ref _last, ref _hint, out _current, out _);

        /// <inheritdoc/>
        public void Reset() => this = new Enumerator(_set);

        /// <inheritdoc/>
        public readonly void Dispose()
        {
        }
    }
}
