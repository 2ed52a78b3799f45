using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>Many immortals on one machine, each calling the next one in a ring.</summary>
internal static class Scale
{
    private const int Outstanding = 10;

    public static async Task RunAsync(Plan plan)
    {
        foreach (int count in plan.IsQuick ? (int[])[2, 8] : [1, 2, 4, 8, 16, 32, 64])
        {
            string name = $"scale, {count} immortals";
            if (!plan.Wants(name))
            {
                continue;
            }

            string[] names = [.. Enumerable.Range(1, count).Select(static number => $"w{number}")];
            await using Cluster cluster = await Cluster.StartAsync(plan.FolderFor($"scale{count}"), logged: true, names);
            double idle = await IdleAsync(cluster, plan.Seconds);
            double idleMegabytes = cluster.Processes.Where(static process =>
                process.Name.StartsWith("coordinator", StringComparison.Ordinal)).Average(static process => process.ResidentMegabytes());
            // Each of them compiles its hot methods, with two seconds of a processor.
            Plan warmer = plan with { WarmUpSeconds = plan.WarmUpSeconds * Math.Max(1, count / 2) };
            Sample[] samples = await Sample.TakeInTurnsAsync(warmer,
                new Run("immortals", cluster.Processes, seconds => RingAsync(cluster, names, seconds)));
            Figure.Print(
                $"{name}, calls of 16 B in a ring, {Outstanding} outstanding each, logged",
                "calls/s",
                samples[0].MessagesPerSecond,
                more:
                [
                    ("immortals", count),
                    ("residentMegabytesOfAll", Numbers.Short(cluster.Processes.Sum(static process => process.ResidentMegabytes()))),
                    ("idleCoordinatorMegabytes", Numbers.Short(idleMegabytes)),
                    ("idleCoordinatorPercentOfCore", Numbers.Short(idle)),
                ]);
        }
    }

    /// <summary>What a coordinator uses while nothing happens, in percent of a core; the average of all.</summary>
    public static async Task<double> IdleAsync(Cluster cluster, double seconds)
    {
        Child[] coordinators = [.. cluster.Processes.Where(static process =>
            process.Name.StartsWith("coordinator", StringComparison.Ordinal))];
        await Task.Delay(TimeSpan.FromSeconds(3)); // What an idle log writes ahead of itself is done by then.
        double before = coordinators.Sum(static process => process.ProcessorSeconds());
        await Task.Delay(TimeSpan.FromSeconds(2 * seconds));
        return (coordinators.Sum(static process => process.ProcessorSeconds()) - before) / (2 * seconds) / coordinators.Length * 100;
    }

    private static async Task<Outcome> RingAsync(Cluster cluster, string[] names, double seconds)
    {
        Outcome[] outcomes =
            await Task.WhenAll(names.Select((name, i) => cluster.CallAsync(name, names[(i + 1) % names.Length], 16, Outstanding, seconds)));
        return new Outcome(outcomes.Sum(static outcome => outcome.Messages), outcomes.Max(static outcome => outcome.Seconds), null);
    }
}
