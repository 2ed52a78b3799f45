using System.Collections;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Reflection;

namespace Ambrosia.Runtime;

#pragma warning disable CA1859 // The factories are called by reflection and all return a plan.

/// <summary>The collections of .NET and of this library that can be state.</summary>
internal static class KnownCollections
{
    private static readonly Dictionary<Type, string> s_factories = new()
    {
        [typeof(List<>)] = nameof(List),
        [typeof(Queue<>)] = nameof(Queue),
        [typeof(Stack<>)] = nameof(Stack),
        [typeof(LinkedList<>)] = nameof(LinkedList),
        [typeof(HashSet<>)] = nameof(HashSet),
        [typeof(Dictionary<,>)] = nameof(Dictionary),
        [typeof(SortedSet<>)] = nameof(SortedSet),
        [typeof(SortedDictionary<,>)] = nameof(SortedDictionary),
        [typeof(SortedList<,>)] = nameof(SortedList),
        [typeof(PriorityQueue<,>)] = nameof(PriorityQueue),
        [typeof(ReadOnlyCollection<>)] = nameof(ReadOnlyCollection),
        [typeof(ImmutableList<>)] = nameof(ImmutableList),
        [typeof(ImmutableStack<>)] = nameof(ImmutableStack),
        [typeof(ImmutableQueue<>)] = nameof(ImmutableQueue),
        [typeof(ImmutableHashSet<>)] = nameof(ImmutableHashSet),
        [typeof(ImmutableDictionary<,>)] = nameof(ImmutableDictionary),
        [typeof(ImmutableSortedSet<>)] = nameof(ImmutableSortedSet),
        [typeof(ImmutableSortedDictionary<,>)] = nameof(ImmutableSortedDictionary),
        [typeof(DurableDictionary<,>)] = nameof(DurableDictionary),
        [typeof(DurableSet<>)] = nameof(DurableSet),
    };

    /// <summary>The method that makes the plan for a generic class, or null.</summary>
    public static MethodInfo? FactoryOf(Type definition) => s_factories.TryGetValue(definition, out string? name)
        ? typeof(KnownCollections).GetMethod(name, BindingFlags.Static | BindingFlags.NonPublic)
        : null;

    public static ObjectPlan BitArray() => Sequence<BitArray, bool>(
        static bits => bits.Count,
        static bits => bits.Cast<bool>(),
        static (bits, items) =>
        {
            bits.Length = items.Length;
            for (int i = 0; i < items.Length; i++)
            {
                bits[i] = items[i];
            }
        },
        static () => new BitArray(0));

    private static ObjectPlan List<T>() =>
        Sequence<List<T>, T>(static list => list.Count, static list => list, static (list, items) => list.AddRange(items), static () => []);

    private static ObjectPlan Queue<T>() => Sequence<Queue<T>, T>(
        static queue => queue.Count,
        static queue => queue,
        static (queue, items) => Array.ForEach(items, queue.Enqueue),
        static () => new Queue<T>());

    private static ObjectPlan Stack<T>() => Sequence<Stack<T>, T>(
        static stack => stack.Count,
        static stack => stack.Reverse(),
        static (stack, items) => Array.ForEach(items, stack.Push),
        static () => new Stack<T>());

    private static ObjectPlan LinkedList<T>() => Sequence<LinkedList<T>, T>(
        static list => list.Count,
        static list => list,
        static (list, items) => Array.ForEach(items, item => list.AddLast(item)),
        static () => new LinkedList<T>());

    private static ObjectPlan HashSet<T>() => new SequencePlan<HashSet<T>, T>(Codec<T>(), new(
        static set => set.Count,
        static set => set,
        static set => Comparers.Named(set.Comparer),
        static comparer => new HashSet<T>((IEqualityComparer<T>?)comparer),
        static (set, items) => Array.ForEach(items, item => AddNew(set, item)),
        Unordered: true,
        Late: true,
        RequireOrder: KnownTypes.IsLeaf(typeof(T)) ? null : static set => RequireDistinct(set, set.Comparer, typeof(HashSet<T>))));

    private static ObjectPlan Dictionary<TKey, TValue>()
        where TKey : notnull =>
            new SequencePlan<Dictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(Codec<KeyValuePair<TKey, TValue>>(), new(
            static map => map.Count,
            static map => map,
            static map => Comparers.Named(map.Comparer),
            static comparer => new Dictionary<TKey, TValue>((IEqualityComparer<TKey>?)comparer),
            static (map, items) => Array.ForEach(items, item => map.Add(item.Key, item.Value)),
            Unordered: true,
            Late: true,
            RequireOrder: KnownTypes.IsLeaf(typeof(TKey)) ? null
                : static map => RequireDistinct(map.Keys, map.Comparer, typeof(Dictionary<TKey, TValue>))));

    private static ObjectPlan SortedSet<T>() => new SequencePlan<SortedSet<T>, T>(Codec<T>(), new(
        static set => set.Count,
        static set => set,
        static set => Comparers.Named(set.Comparer),
        static comparer => new SortedSet<T>((IComparer<T>?)comparer),
        static (set, items) => Array.ForEach(items, item => AddNew(set, item)),
        Late: true,
        RequireOrder: static set => RequireAscending(set, set.Comparer, typeof(SortedSet<T>))));

    // A class that changes what a collection is ordered by, or its order, makes a state that cannot be read again. That must show while
    // the log is still there.
    private static void RequireAscending<T>(IEnumerable<T> items, IComparer<T> order, Type type)
    {
        bool isFirst = true;
        T? last = default;
        foreach (T item in items)
        {
            if (!isFirst && order.Compare(last, item) >= 0)
            {
                throw new UnsavableTypeException(type,
                    $"its items are not in its own order any more ('{last}' before '{item}'): do not change what an item is ordered by "
                    + $"while it is in it");
            }

            (isFirst, last) = (false, item);
        }
    }

    /// <summary>The same of a collection that keeps items apart which are equal now: it could not be read again.</summary>
    public static void RequireDistinct<T>(IEnumerable<T> items, IEqualityComparer<T> equality, Type type)
    {
        var seen = new HashSet<T>(items.TryGetNonEnumeratedCount(out int count) ? count : 0, equality);
        foreach (T item in items)
        {
            if (!seen.Add(item))
            {
                throw new UnsavableTypeException(type, $"two of its items or keys have become equal ('{item}'): do not change what an item "
                    + "is compared by while it is in it");
            }
        }
    }

    // An equality or order in which two saved items are equal (of strings, in another culture) must not lose one of them in silence.
    private static void AddNew<T>(ISet<T> set, T item)
    {
        if (!set.Add(item))
        {
            throw new ArgumentException($"two items of a set are equal now: {item}");
        }
    }

    private static ObjectPlan SortedDictionary<TKey, TValue>()
        where TKey : notnull =>
            new SequencePlan<SortedDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(Codec<KeyValuePair<TKey, TValue>>(), new(
            static map => map.Count,
            static map => map,
            static map => Comparers.Named(map.Comparer),
            static comparer => new SortedDictionary<TKey, TValue>((IComparer<TKey>?)comparer),
            static (map, items) => Array.ForEach(items, item => map.Add(item.Key, item.Value)),
            Late: true,
            RequireOrder: static map => RequireAscending(map.Keys, map.Comparer, typeof(SortedDictionary<TKey, TValue>))));

    private static ObjectPlan SortedList<TKey, TValue>()
        where TKey : notnull =>
            new SequencePlan<SortedList<TKey, TValue>, KeyValuePair<TKey, TValue>>(Codec<KeyValuePair<TKey, TValue>>(), new(
            static map => map.Count,
            static map => map,
            static map => Comparers.Named(map.Comparer),
            static comparer => new SortedList<TKey, TValue>((IComparer<TKey>?)comparer),
            static (map, items) => Array.ForEach(items, item => map.Add(item.Key, item.Value)),
            Late: true,
            RequireOrder: static map => RequireAscending(map.Keys, map.Comparer, typeof(SortedList<TKey, TValue>))));

    // The items come in the order of the heap and are added in that order, which leaves every one where it was: equal priorities keep
    // their turn.
    private static ObjectPlan PriorityQueue<TElement, TPriority>() =>
        new SequencePlan<PriorityQueue<TElement, TPriority>, (TElement, TPriority)>(Codec<(TElement, TPriority)>(), new(
            static queue => queue.Count,
            static queue => queue.UnorderedItems,
            static queue => Comparers.Named(queue.Comparer),
            static comparer => new PriorityQueue<TElement, TPriority>((IComparer<TPriority>?)comparer),
            static (queue, items) => Array.ForEach(items, item => queue.Enqueue(item.Item1, item.Item2)),
            Late: true));

    private static ObjectPlan ReadOnlyCollection<T>() =>
        Inline<ReadOnlyCollection<T>, T>(static list => list.Count, static items => new ReadOnlyCollection<T>(items));

    private static ObjectPlan ImmutableList<T>() => Inline<ImmutableList<T>, T>(static list => list.Count, static items => [.. items]);

    private static ObjectPlan ImmutableStack<T>() => Inline<ImmutableStack<T>, T>(
        static stack => stack.Count(),
        static items => System.Collections.Immutable.ImmutableStack.CreateRange(items.Reverse()));

    private static ObjectPlan ImmutableQueue<T>() => Inline<ImmutableQueue<T>, T>(
        static queue => queue.Count(),
        static items => System.Collections.Immutable.ImmutableQueue.CreateRange(items));

    private static ObjectPlan ImmutableHashSet<T>() => Keyed<ImmutableHashSet<T>, T, T>(
        static set => set.Count,
        static set => Comparers.Named(set.KeyComparer),
        static (comparer, items) => System.Collections.Immutable.ImmutableHashSet.CreateRange((IEqualityComparer<T>?)comparer, items),
        unordered: true);

    private static ObjectPlan ImmutableSortedSet<T>() => Keyed<ImmutableSortedSet<T>, T, T>(
        static set => set.Count,
        static set => Comparers.Named(set.KeyComparer),
        static (comparer, items) => System.Collections.Immutable.ImmutableSortedSet.CreateRange((IComparer<T>?)comparer, items),
        unordered: false);

    private static ObjectPlan ImmutableDictionary<TKey, TValue>()
        where TKey : notnull => Keyed<ImmutableDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>, TKey>(
            static map => map.Count,
            static map => Comparers.Named(map.KeyComparer),
            static (comparer, items) =>
                System.Collections.Immutable.ImmutableDictionary.CreateRange((IEqualityComparer<TKey>?)comparer, items),
            unordered: true);

    private static ObjectPlan ImmutableSortedDictionary<TKey, TValue>()
        where TKey : notnull => Keyed<ImmutableSortedDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>, TKey>(
            static map => map.Count,
            static map => Comparers.Named(map.KeyComparer),
            static (comparer, items) =>
                System.Collections.Immutable.ImmutableSortedDictionary.CreateRange((IComparer<TKey>?)comparer, items),
            unordered: false);

    private static ObjectPlan DurableDictionary<TKey, TValue>()
        where TKey : notnull => new OrderedPlan<DurableDictionary<TKey, TValue>, KeyValuePair<TKey, TValue>, TKey, TValue>(
            Codec<KeyValuePair<TKey, TValue>>(),
            static map => map.Table,
            static comparer => new DurableDictionary<TKey, TValue>(comparer),
            static (key, value) => new(key, value),
            static item => (item.Key, item.Value));

    private static ObjectPlan DurableSet<T>()
        where T : notnull => new OrderedPlan<DurableSet<T>, T, T, Nothing>(
            Codec<T>(),
            static set => set.Table,
            static comparer => new DurableSet<T>(comparer),
            static (item, _) => item,
            static item => (item, default));

    private static Codec<T> Codec<T>() => (Codec<T>)Codecs.Of(typeof(T));

    private static SequencePlan<TCollection, T> Sequence<TCollection, T>(
        Func<TCollection, int> count, Func<TCollection, IEnumerable<T>> items, Action<TCollection, T[]> fill, Func<TCollection> create)
        where TCollection : class => new(Codec<T>(), new(count, items, null, _ => create(), fill));

    private static InlinePlan<TCollection, T> Inline<TCollection, T>(Func<TCollection, int> count, Func<T[], TCollection> make)
        where TCollection : class, IEnumerable<T> => new(
            Codec<T>(),
            new(count, static collection => collection, null, static _ => throw new NotSupportedException(), static (_, _) => { }),
            (_, items) => make(items));

    private static InlinePlan<TCollection, T> Keyed<TCollection, T, TKey>(
        Func<TCollection, int> count, Func<TCollection, object?> comparer, Func<object?, T[], TCollection> make, bool unordered)
        where TCollection : class, IEnumerable<T>
    {
        if (!KnownTypes.IsLeaf(typeof(TKey)))
        {
            throw new UnsavableTypeException(typeof(TCollection),
                "an immutable collection can only be keyed by strings, numbers and the like; use a DurableDictionary or DurableSet.");
        }
        return new(
            Codec<T>(),
            new(
                count, static collection => collection, comparer, static _ => throw new NotSupportedException(), static (_, _) => { },
                unordered),
            make);
    }
}
