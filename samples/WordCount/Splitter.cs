using Ambrosia;

namespace WordCount;

/// <summary>Takes a text block by block and hands its words to the counters.</summary>
public sealed class Splitter : SplitterBase
{
    public const int Counters = 2;
    private long _next;

    public override DurableTask<long> NextBlock() => _next;

    public override DurableTask<bool> Take(long block, string text)
    {
        if (block != _next)
        {
            return false;
        }

        _next++;
        var shares = new List<string>[Counters];
        for (int i = 0; i < Counters; i++)
        {
            shares[i] = [];
        }

        foreach (string word in Words.In(text))
        {
            shares[Words.CounterOf(word, Counters)].Add(word);
        }

        for (int i = 0; i < Counters; i++)
        {
            Counter(i).CountFork([.. shares[i]]);
        }

        return true;
    }

    // Calls overtake no forks, so each table holds everything that was handed over before.
    public override async DurableTask<Dictionary<string, long>> Collect()
    {
        var tables = new List<DurableTask<Dictionary<string, long>>>();
        for (int i = 0; i < Counters; i++)
        {
            tables.Add(Counter(i).TableAsync());
        }

        var all = new Dictionary<string, long>();
        foreach (Dictionary<string, long> table in await DurableTask.WhenAll(tables))
        {
            foreach ((string word, long count) in table)
            {
                all.Add(word, count);
            }
        }

        return all;
    }

    protected override void BecomingPrimary(ImmortalContext context) => _ = Reader.ServeAsync(This, context);

    private CounterProxy Counter(int index) => Proxy<CounterProxy>($"counter-{index + 1}");
}
