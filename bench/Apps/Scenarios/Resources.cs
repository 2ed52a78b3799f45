using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>What the processes use: memory at several rates, processor when idle, and whether cost grows with the number of messages
/// alone.</summary>
internal static class Resources
{
    /// <summary>Resident memory idle and under floods.</summary>
    public static async Task MemoryAsync(Plan plan)
    {
        foreach (bool logged in (bool[])[true, false])
        {
            await using Cluster cluster = await Cluster.StartAsync(plan.FolderFor($"memory-{logged}"), logged, ["source", "sink"]);
            await Task.Delay(TimeSpan.FromSeconds(2));
            PrintMemory($"memory, idle, {Throughput.Setting(logged)}", cluster, null);
            foreach ((int size, string text) in new[] { (16, "16 B"), (1024, "1 KiB"), (65536, "64 KiB") })
            {
                await cluster.FloodAsync("source", "sink", size, plan.WarmUpSeconds);
                Outcome flood = await cluster.FloodAsync("source", "sink", size, plan.Repetitions * plan.Seconds);
                PrintMemory($"memory, fork {text}, {Throughput.Setting(logged)}", cluster, flood);
            }
        }
    }

    /// <summary>Processor time per message and of an idle coordinator.</summary>
    public static async Task ProcessorAsync(Plan plan)
    {
        await using Cluster cluster = await Cluster.StartAsync(plan.FolderFor("cpu"), logged: true, ["source", "sink"]);
        Figure.Print("cpu, idle coordinator", "percent of a core", Spread.Of([await Scale.IdleAsync(cluster, plan.IsQuick ? 2 : 10)]),
            more: [("residentMegabytes", Memory.Of(cluster.Processes))]);
        (string Name, Func<double, Task<Outcome>> Run)[] kinds =
        [
            ("fork 16 B", seconds => cluster.FloodAsync("source", "sink", 16, seconds)),
            ("fork 1 KiB", seconds => cluster.FloodAsync("source", "sink", 1024, seconds)),
            ("fork 64 KiB", seconds => cluster.FloodAsync("source", "sink", 65536, seconds)),
            ("awaited call 16 B, 1000 outstanding", seconds => cluster.CallAsync("source", "sink", 16, 1000, seconds)),
            ("ping 16 B", seconds => cluster.CallAsync("source", "sink", 16, 1, seconds)),
        ];
        foreach ((string name, Func<double, Task<Outcome>> run) in kinds)
        {
            Sample[] samples = await Sample.TakeInTurnsAsync(plan, new Run("immortals", cluster.Processes, run));
            Figure.Print($"cpu, {name}, logged", "us of processor time per message",
                Spread.Of([(double)samples[0].ProcessorMicroseconds()["all"]!]), more: [("each", samples[0].ProcessorMicroseconds())]);
        }
    }

    /// <summary>Ten times the messages, ten times the time, and no more memory.</summary>
    public static async Task LinearAsync(Plan plan)
    {
        await using Cluster cluster = await Cluster.StartAsync(plan.FolderFor("linear"), logged: true, ["source", "sink"]);
        await cluster.FloodAsync("source", "sink", 16, plan.WarmUpSeconds);
        foreach (long messages in plan.IsQuick ? (long[])[100_000, 1_000_000] : [100_000, 1_000_000, 10_000_000, 100_000_000])
        {
            Sample[] samples = await Sample.TakeInTurnsAsync(
                plan with { WarmUpSeconds = 0, Repetitions = messages > 10_000_000 ? 1 : 3 },
                new Run("immortals", cluster.Processes, _ => cluster.FloodAsync("source", "sink", 16, 0, messages)));
            Figure.Print(
                $"linear, {messages} forks of 16 B, logged",
                "us of processor time per message",
                Spread.Of([(double)samples[0].ProcessorMicroseconds()["all"]!]),
                more: [("messages", messages), ("messagesPerSecond", Numbers.Short(samples[0].MessagesPerSecond.Median)),
                    ("residentMegabytes", samples[0].ResidentMegabytes())]);
        }
    }

    private static void PrintMemory(string name, Cluster cluster, Outcome? flood) => Figure.Print(
        name,
        "MB resident, all four processes",
        Spread.Of([cluster.Processes.Sum(static process => process.ResidentMegabytes())]),
        more: [("messagesPerSecond", flood is null ? 0 : Numbers.Short(flood.Messages / flood.Seconds)),
            ("residentMegabytes", Memory.Of(cluster.Processes))]);
}
