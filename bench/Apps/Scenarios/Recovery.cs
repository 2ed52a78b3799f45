using System.Diagnostics;
using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>
/// Both processes of the receiving immortal are killed with so many messages in its log after the last checkpoint, and started again at
/// once. Counted from the kill, process starts included.
/// </summary>
internal static class Recovery
{
    private const string NoCheckpoint = "1TiB";

    /// <summary>Time until everything was executed again: bytes and messages per second.</summary>
    public static async Task RunAsync(Plan plan)
    {
        (int Size, string Text, long Messages)[] logs = plan.IsQuick
            ? [(16, "16 B", 1_000_000), (65536, "64 KiB", 2_000)]
            : [(16, "16 B", 20_000_000), (1024, "1 KiB", 1_000_000), (65536, "64 KiB", 30_000)];
        foreach ((int size, string text, long messages) in logs)
        {
            string name = $"recovery, {text}";
            if (plan.Wants(name))
            {
                await MeasureAsync(plan, name, size, messages);
            }
        }
    }

    /// <summary>Time from the kill to the first answered call, with a million small messages to execute again, and with none.</summary>
    public static async Task FailoverAsync(Plan plan)
    {
        foreach ((long messages, string text) in new[] { (1_000_000L, "a million messages of 16 B"), (0, "nothing") })
        {
            string name = $"failover by restart, {text} to execute again";
            if (!plan.Wants(name))
            {
                continue;
            }

            await using Cluster cluster = await Cluster.StartAsync(plan.FolderFor($"failover{messages}"), logged: true, ["source", "sink"],
                "--checkpoint-every", NoCheckpoint);
            await cluster.CallAsync("source", "sink", 16, 1, plan.WarmUpSeconds);
            if (messages > 0)
            {
                await cluster.FloodAsync("source", "sink", 16, 0, messages);
            }

            var times = new List<double>();
            for (int i = 0; i < plan.Repetitions; i++)
            {
                await cluster.KillAsync("sink");
                long killed = Stopwatch.GetTimestamp();
                Task<Outcome> call = cluster.AskAsync("source", "once sink 16");
                Task restart = cluster.RestartAsync("sink");
                await call;
                times.Add(Stopwatch.GetElapsedTime(killed).TotalMilliseconds);
                await restart;
            }

            Figure.Print(name, "ms", Spread.Of(times));
        }
    }

    private static async Task MeasureAsync(Plan plan, string name, int size, long messages)
    {
        await using Cluster cluster = await Cluster.StartAsync(
            plan.FolderFor($"recovery{size}"), logged: true, ["source", "sink"], "--checkpoint-every", NoCheckpoint);
        await cluster.FloodAsync("source", "sink", size, plan.WarmUpSeconds);
        Outcome live = await cluster.FloodAsync("source", "sink", size, 0, messages);
        double megabytes = cluster.LogBytes("sink") / 1e6;
        long taken = (await cluster.AskAsync("sink", "taken")).Messages;
        var seconds = new List<double>();
        for (int i = 0; i < plan.Repetitions; i++)
        {
            await cluster.KillAsync("sink");
            long killed = Stopwatch.GetTimestamp();
            await cluster.RestartAsync("sink");
            seconds.Add(Stopwatch.GetElapsedTime(killed).TotalSeconds);
        }

        long again = (await cluster.AskAsync("sink", "taken")).Messages;
        if (again != taken)
        {
            throw new ChildFailedException($"{again} messages were executed again of {taken}.");
        }

        Figure.Print(
            $"{name}, messages",
            "messages/s",
            Spread.Of(seconds.Select(one => taken / one)),
            "live, logged, one repetition",
            Spread.Of([live.Messages / live.Seconds]),
            ("messages", taken));
        Figure.Print($"{name}, log", "MB/s", Spread.Of(seconds.Select(one => megabytes / one)),
            more: [("logMegabytes", Numbers.Short(megabytes)), ("seconds", Numbers.Short(Spread.Of(seconds).Median))]);
    }
}
