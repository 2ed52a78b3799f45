using System.Diagnostics;
using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>
/// What callers of a primary notice of a checkpoint that a replica of it takes, by the size of the state: round trips of pings in windows
/// that last as long as one checkpoint: without one, with one, and behind it, when an old one is removed; in turns.
/// </summary>
internal static class ReplicaCheckpoints
{
    // The primary finds a new checkpoint at the next heartbeat.
    private const double Heartbeat = 1;

    // An old checkpoint is removed as fast as the file system likes: what comes behind a slow one need not be watched as long as that.
    private const double Removal = 20;

    // At a rate of 10 MiB/s a gigabyte takes 102 s, and a quarter of an hour to measure: only for who asks for it by name.
    public static async Task RunAsync(Plan plan)
    {
        await RunAsync(plan, "none", plan.IsQuick ? [1, 64] : [1, 64, 256, 1024]);
        await RunAsync(plan, "20MiB", plan.IsQuick ? [64] : [64, 256]);
        await RunAsync(plan, "10MiB", plan.IsQuick || plan.Only is null ? [64] : [64, 256, 1024]);
    }

    private static async Task RunAsync(Plan plan, string rate, int[] sizes)
    {
        int[] wanted = [.. sizes.Where(megabytes => plan.Wants(NameOf(megabytes, rate)))];
        if (wanted is [])
        {
            return;
        }

        string folder = plan.FolderFor($"checkpoint-replica-{rate}");
        await using Cluster cluster =
            await Cluster.StartReplicatedAsync(folder, "sink", ["source"], "--checkpoint-every", "1TiB", "--checkpoint-rate", rate);
        await cluster.CallAsync("source", "sink", 16, 1, 2 * plan.WarmUpSeconds);
        int grown = 0;
        foreach (int megabytes in wanted)
        {
            await cluster.AskAsync("sink", $"grow {megabytes - grown}");
            grown = megabytes;
            await MeasureAsync(plan, cluster, megabytes, NameOf(megabytes, rate));
        }
    }

    private static string NameOf(int megabytes, string rate) =>
        $"checkpoint by a replica, {megabytes} MB of state{(rate == "none" ? "" : $", {rate}/s")}";

    private static async Task MeasureAsync(Plan plan, Cluster cluster, int megabytes, string name)
    {
        double takes = await TimedAsync(cluster); // Grows buffers and compiles.
        takes = takes > Removal ? takes : await TimedAsync(cluster);
        double window = Math.Max(plan.Seconds, takes + Heartbeat);
        (var without, var with, var behind, var times) =
            (new List<Percentiles>(), new List<Percentiles>(), new List<Percentiles>(), new List<double>());
        for (int i = 0; i < plan.Repetitions; i++)
        {
            await Task.Delay(TimeSpan.FromSeconds(Heartbeat + Math.Min(2 * takes, Removal))); // Until the one before is removed.
            without.Add((await cluster.CallAsync("source", "sink", 16, 1, window)).RoundTrips!);
            Task<Outcome> pings = cluster.CallAsync("source", "sink", 16, 1, window);
            times.Add(await TimedAsync(cluster));
            with.Add((await pings).RoundTrips!);
            behind.Add((await cluster.CallAsync("source", "sink", 16, 1, Math.Min(window, Removal))).RoundTrips!);
        }

        foreach ((string what, Func<Percentiles, double> of) in new (string, Func<Percentiles, double>)[]
            { ("p50", static trips => trips.P50), ("p99", static trips => trips.P99), ("p99.9", static trips => trips.P999),
                ("longest round trip", static trips => trips.Max) })
        {
            Figure.Print($"{name}, {what}", "ms", Milliseconds(with), "the same without a checkpoint", Milliseconds(without),
                ("behindIt", Numbers.Short(Milliseconds(behind).Median)), ("stateMegabytes", megabytes),
                ("checkpointSeconds", Numbers.Short(Spread.Of(times).Median)),
                ("windowSeconds", Numbers.Short(window)), ("roundTrips", with.Sum(static trips => trips.Count)));

            Spread Milliseconds(List<Percentiles> windows) => Spread.Of(windows.Select(of).Select(static time => time / 1000));
        }
    }

    private static async Task<double> TimedAsync(Cluster cluster)
    {
        long begun = Stopwatch.GetTimestamp();
        await cluster.Checkpointer!.CheckpointAsync();
        return Stopwatch.GetElapsedTime(begun).TotalSeconds;
    }
}
