using System.Collections;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace Ambrosia;

/// <summary>
/// A list for immortals: unlike <see cref="List{T}"/> it may be enumerated over an <c>await</c> and changed while it is
/// enumerated. An enumeration is a position: what is added at the end meanwhile is visited.
/// </summary>
[DebuggerDisplay("Count = {Count}")]
[SuppressMessage("Naming", "CA1710", Justification = "Named after its role, as List is.")]
public sealed class DurableList<T> : IList<T>, IReadOnlyList<T>
{
    private readonly List<T> _items;

    /// <summary>An empty list.</summary>
    public DurableList() => _items = [];

    /// <summary>A list of the given items.</summary>
    public DurableList(IEnumerable<T> items) => _items = [.. items];

    /// <inheritdoc cref="IReadOnlyCollection{T}.Count"/>
    public int Count => _items.Count;

    bool ICollection<T>.IsReadOnly => false;

    /// <inheritdoc cref="List{T}.this"/>
    public T this[int index]
    {
        get => _items[index];
        set => _items[index] = value;
    }

    /// <inheritdoc/>
    public void Add(T item) => _items.Add(item);

    /// <summary>Adds all items at the end.</summary>
    public void AddRange(IEnumerable<T> items) => _items.AddRange(items);

    /// <inheritdoc/>
    public void Insert(int index, T item) => _items.Insert(index, item);

    /// <inheritdoc/>
    public bool Remove(T item) => _items.Remove(item);

    /// <inheritdoc/>
    public void RemoveAt(int index) => _items.RemoveAt(index);

    /// <inheritdoc/>
    public void Clear() => _items.Clear();

    /// <inheritdoc/>
    public bool Contains(T item) => _items.Contains(item);

    /// <inheritdoc/>
    public int IndexOf(T item) => _items.IndexOf(item);

    /// <inheritdoc/>
    public void CopyTo(T[] array, int arrayIndex) => _items.CopyTo(array, arrayIndex);

    /// <summary>Sorts with the default or the given comparer; the order of equal items is not defined, so let none be equal.</summary>
    public void Sort(IComparer<T>? comparer = null) => _items.Sort(comparer);

    /// <summary>Enumerates from the first item on.</summary>
    public Enumerator GetEnumerator() => new(this);

    IEnumerator<T> IEnumerable<T>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>A position in the list; may be held over an <c>await</c>.</summary>
    public struct Enumerator : IEnumerator<T>
    {
        private readonly DurableList<T> _list;
        private int _next;
        private T? _current;

        internal Enumerator(DurableList<T> list) => _list = list;

        /// <inheritdoc/>
        public readonly T Current => _current!;

        readonly object? IEnumerator.Current => _current;

        /// <inheritdoc/>
        public bool MoveNext()
        {
            bool found = _next < _list.Count;
            _current = found ? _list[_next++] : default;
            return found;
        }

        /// <inheritdoc/>
        public void Reset() => this = new Enumerator(_list);

        /// <inheritdoc/>
        public readonly void Dispose()
        {
        }
    }
}
