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

    /// <summary>
    /// Warms up, then measures. What is compared takes turns, repetition by repetition: on a machine that others use as well, each minute is another machine.
    /// </summary>
    /// <param name="plan">How long.</param>
    /// <param name="runs">Where, and what runs once for as many seconds as it is told.</param>
    /// <returns>One sample for each.</returns>
    public static async Task<Sample[]> TakeInTurnsAsync(Plan plan, params (ITopology Topology, Func<double, Task<Outcome>> Run)[] runs)
    {
        Sample[] samples = [.. runs.Select(static run => new Sample(run.Topology.Processes))];
        foreach ((_, Func<double, Task<Outcome>> run) in runs)
        {
            await run(plan.WarmUpSeconds);
        }

        for (int repetition = 0; repetition < plan.Repetitions; repetition++)
        {
            for (int i = 0; i < runs.Length; i++)
            {
                await samples[i].TakeOneAsync(plan, runs[i].Run);
            }
        }

        return samples;
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

    private async Task TakeOneAsync(Plan plan, Func<double, Task<Outcome>> run)
    {
        double[] before = ReadCounters();
        _outcomes.Add(await run(plan.Seconds));
        double[] after = ReadCounters();
        for (int process = 0; process < before.Length; process++)
        {
            _processorSeconds[process] += after[process] - before[process];
        }
    }

    private double[] ReadCounters() => [.. _processes.Select(static process => process.ProcessorSeconds())];
}
