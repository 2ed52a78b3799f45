using System.Text.Json.Nodes;
using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>The repetitions of one measurement, with what each process spent on them.</summary>
internal sealed class Sample
{
    private readonly List<Outcome> _outcomes = [];
    private readonly double[] _processorSeconds;
    private readonly IReadOnlyList<Child> _processes;

    private Sample(IReadOnlyList<Child> processes)
    {
        _processes = processes;
        _processorSeconds = new double[processes.Count];
    }

    public Spread MessagesPerSecond => Spread.Of(_outcomes.Select(static outcome => outcome.Messages / outcome.Seconds));

    public long Messages => _outcomes.Sum(static outcome => outcome.Messages);

    /// <summary>Warms up, then measures.</summary>
    /// <param name="topology">Where.</param>
    /// <param name="plan">How long.</param>
    /// <param name="run">Runs once, for as many seconds as it is told.</param>
    public static async Task<Sample> TakeAsync(ITopology topology, Plan plan, Func<double, Task<Outcome>> run)
    {
        await run(plan.WarmUpSeconds);
        var sample = new Sample(topology.Processes);
        for (int i = 0; i < plan.Repetitions; i++)
        {
            double[] before = sample.ReadCounters();
            sample._outcomes.Add(await run(plan.Seconds));
            double[] after = sample.ReadCounters();
            for (int process = 0; process < before.Length; process++)
            {
                sample._processorSeconds[process] += after[process] - before[process];
            }
        }

        return sample;
    }

    public Spread RoundTrip(Func<Percentiles, double> select) => Spread.Of(_outcomes.Select(outcome => select(outcome.RoundTrips!)));

    /// <summary>Processor time per message of each process and of all of them, in microseconds.</summary>
    public JsonObject ProcessorMicroseconds()
    {
        var each = new JsonObject();
        for (int i = 0; i < _processes.Count; i++)
        {
            each[_processes[i].Name] = Numbers.Short(_processorSeconds[i] * 1e6 / Messages);
        }

        each["all"] = Numbers.Short(_processorSeconds.Sum() * 1e6 / Messages);
        return each;
    }

    private double[] ReadCounters() => [.. _processes.Select(static process => process.ProcessorSeconds())];
}
