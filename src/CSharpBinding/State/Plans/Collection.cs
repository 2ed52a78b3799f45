namespace Ambrosia.Runtime;

/// <summary>
/// What <see cref="SequencePlan{TCollection, TItem}"/> and <see cref="InlinePlan{TCollection, TItem}"/> must know of a collection: its
/// public API.
/// </summary>
/// <param name="Count">The number of items.</param>
/// <param name="Items">The items in the order in which <paramref name="Fill"/> wants them.</param>
/// <param name="Comparer">The comparer that the collection was made with; null if it takes none.</param>
/// <param name="Create">Makes an empty collection from the comparer (null = its default).</param>
/// <param name="Fill">Adds the items.</param>
/// <param name="Unordered">True if the order of the items depends on history and means nothing: then the hash sorts them where it
/// can.</param>
/// <param name="Late">True if adding compares or hashes items, so that it has to wait until they are complete.</param>
/// <param name="RequireOrder">
/// Throws unless the items are in the order in which the collection keeps them, and none is equal to another: adding them again would
/// change or lose some.
/// </param>
internal sealed record Collection<TCollection, TItem>(
    Func<TCollection, int> Count,
    Func<TCollection, IEnumerable<TItem>> Items,
    Func<TCollection, object?>? Comparer,
    Func<object?, TCollection> Create,
    Action<TCollection, TItem[]> Fill,
    bool Unordered = false,
    bool Late = false,
    Action<TCollection>? RequireOrder = null)
    where TCollection : class;
