using System.Collections;
using System.Collections.Immutable;

namespace Ambrosia.CodeGen.Model;

/// <summary>
/// An array that equals another one of equal elements, so that the compiler can tell that a step's result has not changed.
/// </summary>
public readonly struct EquatableArray<T>(ImmutableArray<T> items) : IEquatable<EquatableArray<T>>, IEnumerable<T>
    where T : IEquatable<T>
{
    /// <summary>An array without elements.</summary>
    public static EquatableArray<T> Empty => new(ImmutableArray<T>.Empty);

    /// <summary>The elements.</summary>
    public ImmutableArray<T> Items => items.IsDefault ? ImmutableArray<T>.Empty : items;

    /// <summary>How many there are.</summary>
    public int Count => Items.Length;

    /// <summary>The element at a position.</summary>
    public T this[int index] => Items[index];

    /// <summary>Whether the elements are equal.</summary>
    public static bool operator ==(EquatableArray<T> left, EquatableArray<T> right) => left.Equals(right);

    /// <summary>Whether some elements differ.</summary>
    public static bool operator !=(EquatableArray<T> left, EquatableArray<T> right) => !left.Equals(right);

    /// <inheritdoc/>
    public bool Equals(EquatableArray<T> other) => Items.AsSpan().SequenceEqual(other.Items.AsSpan());

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is EquatableArray<T> other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        int hash = Count;
        foreach (T item in Items)
        {
            hash = unchecked((hash * 31) + item.GetHashCode());
        }

        return hash;
    }

    /// <inheritdoc/>
    public IEnumerator<T> GetEnumerator() => ((IEnumerable<T>)Items).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
