namespace Ambrosia.TimeTravel.Comparing;

/// <summary>Gathers differences: the first ones in full, all of them counted.</summary>
internal sealed class DifferenceList(int maxDescribed)
{
    private readonly List<Difference> _described = [];
    private readonly HashSet<ulong> _records = [];
    private readonly Dictionary<int, long> _byMethod = [];

    public long Count { get; private set; }

    /// <summary>In the order of the log; what was found late, such as a difference of states, stands where it belongs.</summary>
    public IReadOnlyList<Difference> Described => [.. _described.OrderBy(static difference => difference.At)];

    public IReadOnlyDictionary<int, long> ByMethod => _byMethod;

    /// <summary>Whether something of this record is known to differ.</summary>
    public bool HasAny(ulong lsn) => _records.Contains(lsn);

    public void Add(Difference difference)
    {
        Count++;
        _records.Add(difference.At.Lsn);
        if (difference.Message is not null)
        {
            _byMethod[difference.MethodId] = _byMethod.GetValueOrDefault(difference.MethodId) + 1;
        }

        // The place of a difference of states is found last and may be the first in the log.
        if (_described.Count < maxDescribed || difference.Kind is DifferenceKind.State or DifferenceKind.StateShape or DifferenceKind.Ended)
        {
            _described.Add(difference);
        }
    }
}
