using System.Diagnostics;

namespace Ambrosia.Simulation.Tests;

/// <summary>Runs a range of seeds, each on one thread, on as many threads as there are workers. A share of them runs twice and must leave
/// the same trace.</summary>
/// <param name="first">First seed.</param>
/// <param name="count">Number of seeds.</param>
/// <param name="workers">Threads.</param>
/// <param name="twiceOneIn">Every so-manieth seed is run twice.</param>
internal sealed class SimRun(int first, int count, int workers, int twiceOneIn)
{
    // A schedule takes a tenth of a second, and no clock but a virtual one: one that is still at it after this goes round in a circle.
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(3);
    private readonly object _gate = new();
    private readonly SortedDictionary<int, long> _begun = [];
    private readonly int _end = first + count;
    private int _next = first;
    private readonly SortedDictionary<int, string> _failures = [];

    /// <summary>Receives a readable trace; for one seed.</summary>
    public Action<string>? Print { get; init; }

    public SimReport Report { get; } = new();

    /// <summary>Seeds that fail before the rest is left. Default 1.</summary>
    public int MaxFailures { get; init; } = 1;

    /// <summary>From one seed to the next: schedules of one kind alone. Default 1.</summary>
    public int Stride { get; init; } = 1;

    /// <summary>Whether limits may be smaller than the product's. Default true.</summary>
    public bool ShrinksLimits { get; init; } = true;

    /// <summary>Whether apps may ask for effects on the outside. Default true.</summary>
    public bool HasEffects { get; init; } = true;

    /// <summary>Whether somebody outside may call. Default true.</summary>
    public bool HasCallers { get; init; } = true;

    /// <summary>Which schedules are run; others are left out. Default all.</summary>
    public Func<SimCluster, bool> Only { get; init; } = static _ => true;

    /// <summary>Null if all is well, else what was violated, under which seeds, and how to repeat it.</summary>
    public string? Execute()
    {
        Thread[] threads = [.. Enumerable.Range(0, workers).Select(_ => new Thread(Work) { IsBackground = true })];
        foreach (Thread thread in threads)
        {
            thread.Start();
        }

        while (!threads.All(static thread => thread.Join(TimeSpan.FromSeconds(1))) && !GoesInCircles())
        {
        }

        return _failures.Count == 0 ? null : string.Join('\n', _failures.Select(static failure => $"""
            seed {failure.Key}: {failure.Value}
            repeat: AMBROSIA_SIM_FIRST={failure.Key} AMBROSIA_SIM_COUNT=1 AMBROSIA_SIM_TRACE=1 ./test.sh --only Simulation
            """));
    }

    private bool GoesInCircles()
    {
        lock (_gate)
        {
            foreach ((int seed, long begun) in _begun)
            {
                if (Stopwatch.GetElapsedTime(begun) > s_longest)
                {
                    _failures[seed] = $"goes round in a circle: no end after {s_longest.TotalMinutes} minutes";
                    return true;
                }
            }

            return false;
        }
    }

    private void Work()
    {
        var report = new SimReport();
        while (Take() is { } seed)
        {
            string? violation = RunOne(seed, report);
            lock (_gate)
            {
                _begun.Remove(seed);
                if (violation is not null)
                {
                    _failures[seed] = violation;
                }
            }
        }

        lock (_gate)
        {
            Report.Add(report);
        }
    }

    private int? Take()
    {
        lock (_gate)
        {
            if (_failures.Count >= MaxFailures || _next >= _end)
            {
                return null;
            }

            int seed = _next;
            _begun[seed] = Stopwatch.GetTimestamp();
            _next += Stride;
            return seed;
        }
    }

    private string? RunOne(int seed, SimReport report)
    {
        var cluster = new SimCluster(seed, report, Print, ShrinksLimits, HasEffects, HasCallers);
        if (!Only(cluster))
        {
            return null;
        }

        if (cluster.Run() is { } violation)
        {
            return $"{violation}\n{cluster.Settings}\n{cluster.Limits}\n{cluster.Replicas}\n{cluster.Effects}\n{cluster.Callers}\n"
                + $"{cluster.Awakeables}";
        }

        if (seed % twiceOneIn != 0)
        {
            return null;
        }

        var again = new SimCluster(seed, shrinksLimits: ShrinksLimits, hasEffects: HasEffects, hasCallers: HasCallers);
        violation = again.Run();
        return violation is not null ? $"run a second time: {violation}"
            : again.TraceHash != cluster.TraceHash
            ? $"two runs differ: trace {cluster.TraceHash:x} and {again.TraceHash:x}, {cluster.Steps} and {again.Steps} steps" : null;
    }
}
