using Ambrosia.SystemFaults.Tests.Shim;

namespace Ambrosia.SystemFaults.Tests.Running;

/// <summary>Faults that struck, by call and error, and what came of them.</summary>
internal sealed class FaultTable
{
    private readonly SortedDictionary<string, SortedDictionary<string, int>> _struck = new(StringComparer.Ordinal);
    private readonly SortedDictionary<string, SortedDictionary<string, int>> _outcomes = new(StringComparer.Ordinal);

    public int Struck => _struck.Values.Sum(static errors => errors.Values.Sum());

    public int Missed { get; private set; }

    public IReadOnlyCollection<string> Calls => _struck.Keys;

    /// <summary>Adds a fault; one that was not reached is not counted.</summary>
    public void Add(Fault fault, bool struck, string outcome)
    {
        if (!struck)
        {
            Missed++;
            return;
        }

        Count(_struck, fault.Call, fault.ErrorName);
        Count(_outcomes, fault.Call + " " + fault.Kind, outcome);
    }

    public int OutcomesLike(string beginning) =>
        _outcomes.Values.SelectMany(static outcomes => outcomes).Where(pair => pair.Key.StartsWith(beginning, StringComparison.Ordinal))
        .Sum(static pair => pair.Value);

    public IEnumerable<string> Lines()
    {
        foreach ((string call, SortedDictionary<string, int> errors) in _struck)
        {
            yield return $"  {call,-10} {errors.Values.Sum(),4}: {Join(errors)}";
        }

        yield return "What came of it:";
        foreach ((string call, SortedDictionary<string, int> outcomes) in _outcomes)
        {
            yield return $"  {call,-30} {Join(outcomes)}";
        }
    }

    private static string Join(SortedDictionary<string, int> counts) =>
        string.Join(", ", counts.Select(static pair => $"{pair.Key} {pair.Value}"));

    private static void Count(SortedDictionary<string, SortedDictionary<string, int>> table, string row, string column)
    {
        if (!table.TryGetValue(row, out SortedDictionary<string, int>? counts))
        {
            table[row] = counts = new SortedDictionary<string, int>(StringComparer.Ordinal);
        }

        counts[column] = counts.GetValueOrDefault(column) + 1;
    }
}
