using Ambrosia;

namespace WordCount;

/// <summary>Counts its share of all words.</summary>
public sealed class Counter : CounterBase
{
    private readonly DurableDictionary<string, long> _counts = [];

    public override DurableTask Count(string[] words)
    {
        foreach (string word in words)
        {
            _counts[word] = _counts.GetValueOrDefault(word) + 1;
        }

        return default;
    }

    public override DurableTask<Dictionary<string, long>> Table() => new Dictionary<string, long>(_counts);
}
