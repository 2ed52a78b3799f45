using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using Ambrosia.Fuzz.Tests.Targets;

namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>Spreads the inputs over targets by weight and over the processors, and says what became of them.</summary>
internal sealed class Fuzzer(ulong seed, long inputs)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly ConcurrentQueue<FuzzShard> _done = new();
    private readonly ConcurrentDictionary<FuzzShard, bool> _running = new();

    public IReadOnlyList<Finding> Findings => [.. _done.SelectMany(static shard => shard.Findings)
        .DistinctBy(static finding => (finding.Target, Engine.Outcomes.PlainOf(finding.What)))];

    public IReadOnlyDictionary<string, Outcomes> Outcomes => _done.GroupBy(static shard => shard.Name)
        .OrderBy(static group => group.Key, StringComparer.Ordinal).ToDictionary(static group => group.Key, Sum);

    /// <summary>The first input of each outcome of each target.</summary>
    public IEnumerable<(string Target, string Outcome, byte[] Input)> Firsts =>
        _done.GroupBy(static shard => shard.Name).SelectMany(static group => group.SelectMany(static shard => shard.Firsts)
            .DistinctBy(static first => first.Key).Select(first => (group.Key, first.Key, first.Value)));

    /// <summary>Runs everything; returns the name and bytes of an input that did not end, if there is one.</summary>
    public async Task<Finding?> RunAsync()
    {
        IReadOnlyList<FuzzTarget> targets = AllTargets.Make();
        int weights = targets.Sum(static target => target.Weight);
        int threads = Math.Max(1, Environment.ProcessorCount);
        // Heavy targets first, so that the threads end together.
        var work = new ConcurrentQueue<(int Target, int Share)>(Enumerable.Range(0, targets.Count).OrderByDescending(i => targets[i].Weight)
            .SelectMany(i => Enumerable.Range(0, 4).Select(share => (i, share))));
        Task all = Task.WhenAll(Enumerable.Range(0, threads).Select(_ => Task.Factory.StartNew(
            () => Drain(work, target => inputs * target.Weight / weights / 4), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default)));
        while (await Task.WhenAny(all, Task.Delay(TimeSpan.FromSeconds(1))) != all)
        {
            if (Stuck() is { } stuck)
            {
                return stuck;
            }
        }

        await all;
        return null;
    }

    /// <summary>A table: inputs by target and outcome.</summary>
    public string Report()
    {
        var text = new StringBuilder();
        long total = 0;
        foreach ((string target, Outcomes outcomes) in Outcomes)
        {
            total += outcomes.Total;
            (long bytes, long budget) = _done.Where(shard => shard.Name == target).Select(static shard => shard.Heaviest)
                .MaxBy(static heaviest => (double)heaviest.Bytes / heaviest.Budget);
            text.AppendLine(CultureInfo.InvariantCulture,
                $"{target}: {outcomes.Total} inputs, {outcomes.All.Count()} outcomes, at most {100 * bytes / budget} % of the "
                + $"memory allowed");
            foreach ((string name, long count) in outcomes.All.OrderByDescending(static entry => entry.Count))
            {
                text.AppendLine(CultureInfo.InvariantCulture, $"    {count,9}  {name}");
            }
        }

        return $"{total} inputs to {Outcomes.Count} parsers, {Outcomes.Sum(static entry => entry.Value.All.Count())} outcomes, "
            + $"{Findings.Count} findings, seed {seed}\n{text}";
    }

    private static Outcomes Sum(IEnumerable<FuzzShard> shards)
    {
        var sum = new Outcomes();
        foreach (FuzzShard shard in shards)
        {
            sum.Add(shard.Outcomes);
        }

        return sum;
    }

    private void Drain(ConcurrentQueue<(int Target, int Share)> work, Func<FuzzTarget, long> countOf)
    {
        IReadOnlyList<FuzzTarget> targets = AllTargets.Make();
        while (work.TryDequeue(out (int Target, int Share) next))
        {
            FuzzTarget target = targets[next.Target];
            var shard = new FuzzShard(target, FuzzRandom.Mix(seed, (ulong)(next.Target * 1000 + next.Share)));
            _running[shard] = true;
            shard.Run(countOf(target));
            _running.TryRemove(shard, out _);
            _done.Enqueue(shard);
        }
    }

    private Finding? Stuck() => _running.Keys
        .Where(static shard => shard.Current is { } current && Environment.TickCount64 - current.Since > s_patience.TotalMilliseconds)
        .Select(static shard =>
            new Finding(shard.Name, shard.Current!.Value.Input, "this input, or one of the 15 behind it, did not end within a minute"))
        .FirstOrDefault();
}
