namespace Ambrosia.Runtime;

/// <summary>Counts what it is given in any order, and keeps the few with the smallest numbers.</summary>
internal sealed class OldestOf<T>(int most)
{
    // The youngest of those that are kept comes out first.
    private readonly PriorityQueue<(long Number, T Item), long> _kept = new(
        Comparer<long>.Create(static (left, right) => right.CompareTo(left)));

    /// <summary>How many there were.</summary>
    public int Count { get; private set; }

    /// <summary>Takes one.</summary>
    public void Add(long number, T item)
    {
        Count++;
        if (_kept.Count < most)
        {
            _kept.Enqueue((number, item), number);
        }
        else
        {
            _kept.EnqueueDequeue((number, item), number); // The youngest goes, which may be this one.
        }
    }

    /// <summary>Those that are kept, oldest first.</summary>
    public IEnumerable<T> InOrder() =>
        _kept.UnorderedItems.Select(static kept => kept.Element).OrderBy(static kept => kept.Number).Select(static kept => kept.Item);
}
