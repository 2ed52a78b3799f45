using System.Text.Json.Nodes;
using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>The repetitions of one measurement, with what each process spent on them.</summary>
internal sealed class Sample
{
    private readonly List<Outcome> _outcomes = [];
    private readonly double[] _processorSeconds;
    private readonly IReadOnlyList<Child> _processes;

    private Sample(Run run)
    {
        Name = run.Name;
        _processes = run.Processes;
        _processorSeconds = new double[_processes.Count];
    }

    public string Name { get; }

    public Spread MessagesPerSecond => Spread.Of(_outcomes.Select(static outcome => outcome.Messages / outcome.Seconds));

    /// <summary>Whether single round trips were timed.</summary>
    public bool HasRoundTrips => _outcomes.All(static outcome => outcome.RoundTrips is not null);

    public long Messages => _outcomes.Sum(static outcome => outcome.Messages);

    /// <summary>
    /// Warms up, then measures. What is compared takes turns, repetition by repetition: on a machine that others use as well, each minute
    /// is another machine.
    /// </summary>
    public static async Task<Sample[]> TakeInTurnsAsync(Plan plan, params Run[] runs)
    {
        Sample[] samples = [.. runs.Select(static run => new Sample(run))];
        foreach (Run run in runs)
        {
            await run.Once(plan.WarmUpSeconds);
        }

        for (int repetition = 0; repetition < plan.Repetitions; repetition++)
        {
            for (int i = 0; i < runs.Length; i++)
            {
                await samples[i].TakeOneAsync(plan, runs[i].Once);
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

    /// <summary>Resident memory of each process, in MB.</summary>
    public JsonObject ResidentMegabytes() => Memory.Of(_processes);

    /// <summary>What the others did in the same run: rate and, if they are the same thing, how many times as fast this is.</summary>
    public JsonObject Against(IEnumerable<Sample> others)
    {
        var all = new JsonObject();
        foreach (Sample other in others)
        {
            all[other.Name] = new JsonObject
            {
                ["value"] = Numbers.Short(other.MessagesPerSecond.Median),
                ["ratio"] = Numbers.Short(MessagesPerSecond.Median / other.MessagesPerSecond.Median),
                ["processorMicrosecondsPerMessage"] = Numbers.Short(other._processorSeconds.Sum() * 1e6 / other.Messages),
            };
        }

        return all;
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
