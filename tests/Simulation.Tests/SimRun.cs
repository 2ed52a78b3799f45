namespace Ambrosia.Simulation.Tests;

/// <summary>Runs a range of seeds, each on one thread, on as many threads as there are workers. A share of them runs twice and must leave the same trace.</summary>
/// <param name="first">First seed.</param>
/// <param name="count">Number of seeds.</param>
/// <param name="workers">Threads.</param>
/// <param name="twiceOneIn">Every so-manieth seed is run twice.</param>
internal sealed class SimRun(int first, int count, int workers, int twiceOneIn)
{
    private readonly object _gate = new();
    private readonly int _end = first + count;
    private int _next = first;
    private readonly SortedDictionary<int, string> _failures = [];

    /// <summary>Receives a readable trace; for one seed.</summary>
    public Action<string>? Print { get; init; }

    public SimReport Report { get; } = new();

    /// <summary>Seeds that fail before the rest is left. Default 1.</summary>
    public int MaxFailures { get; init; } = 1;

    /// <summary>Null if all is well, else what was violated, under which seeds, and how to repeat it.</summary>
    public string? Execute()
    {
        Thread[] threads = [.. Enumerable.Range(0, workers).Select(_ => new Thread(Work))];
        foreach (Thread thread in threads)
        {
            thread.Start();
        }

        foreach (Thread thread in threads)
        {
            thread.Join();
        }

        return _failures.Count == 0 ? null : string.Join('\n', _failures.Select(static failure => $"""
            seed {failure.Key}: {failure.Value}
            repeat: AMBROSIA_SIM_FIRST={failure.Key} AMBROSIA_SIM_COUNT=1 AMBROSIA_SIM_TRACE=1 ./test.sh --only Simulation
            """));
    }

    private void Work()
    {
        var report = new SimReport();
        while (Take() is { } seed)
        {
            if (RunOne(seed, report) is { } violation)
            {
                lock (_gate)
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
            return _failures.Count < MaxFailures && _next < _end ? _next++ : null;
        }
    }

    private string? RunOne(int seed, SimReport report)
    {
        var cluster = new SimCluster(seed, report, Print);
        if (cluster.Run() is { } violation)
        {
            return $"{violation}\n{cluster.Settings}\n{cluster.Replicas}";
        }

        if (seed % twiceOneIn != 0)
        {
            return null;
        }

        var again = new SimCluster(seed);
        violation = again.Run();
        return violation is not null ? $"run a second time: {violation}"
            : again.TraceHash != cluster.TraceHash ? $"two runs differ: trace {cluster.TraceHash:x} and {again.TraceHash:x}, {cluster.Steps} and {again.Steps} steps" : null;
    }
}
