using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>
/// Latency against offered load: requests from outside arrive at a rate of their own; each is an impulse to one immortal that calls the
/// other, so three records are synced one behind the other. No knob is turned between the points.
/// </summary>
internal static class LatencyCurve
{
    public static async Task RunAsync(Plan plan)
    {
        foreach (bool logged in (bool[])[true, false])
        {
            await using Cluster cluster = await Cluster.StartAsync(plan.FolderFor($"curve-{logged}"), logged, ["source", "sink"]);
            await cluster.AskAsync("source", $"paced sink 16 2000 {Numbers.Text(plan.WarmUpSeconds)}");
            foreach (int rate in plan.IsQuick ? (int[])[100, 10_000] : [100, 300, 1000, 3000, 10_000, 30_000, 60_000, 100_000, 150_000])
            {
                string name = $"latency curve, {rate} requests/s offered, {Throughput.Setting(logged)}";
                if (!plan.Wants(name))
                {
                    continue;
                }

                var outcomes = new List<Outcome>();
                for (int i = 0; i < plan.Repetitions; i++)
                {
                    outcomes.Add(await cluster.AskAsync("source", $"paced sink 16 {rate} {Numbers.Text(plan.Seconds)}"));
                }

                Figure.Print(
                    $"{name}, p50",
                    "us",
                    Spread.Of(outcomes.Select(static outcome => outcome.RoundTrips!.P50)),
                    more:
                    [
                        ("offered", rate),
                        ("logged", logged),
                        ("p99", Numbers.Short(Spread.Of(outcomes.Select(static outcome => outcome.RoundTrips!.P99)).Median)),
                        ("answeredPerSecond",
                            Numbers.Short(Spread.Of(outcomes.Select(static outcome => outcome.Messages / outcome.Seconds)).Median)),
                    ]);
            }
        }
    }
}
