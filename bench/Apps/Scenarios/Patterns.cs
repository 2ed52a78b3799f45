using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>Forks of 16 bytes and 1 KiB between more than two immortals, or both ways between two. The baseline is one pair in the same
/// run.</summary>
internal static class Patterns
{
    private const int Many = 4;

    public static Task FanInAsync(Plan plan) => RunAsync(plan, "fan-in, 4 senders", Names("source", Many), ["sink"]);

    public static Task FanOutAsync(Plan plan) => RunAsync(plan, "fan-out, 4 receivers", ["source"], Names("sink", Many));

    public static Task BidirectionalAsync(Plan plan) =>
        RunAsync(plan, "bidirectional", ["left", "right"], ["right", "left"], crosswise: true);

    private static string[] Names(string stem, int count) => [.. Enumerable.Range(1, count).Select(number => $"{stem}{number}")];

    private static async Task RunAsync(Plan plan, string title, string[] senders, string[] receivers, bool crosswise = false)
    {
        string[] names = [.. senders.Union(receivers)];
        await using Cluster cluster = await Cluster.StartAsync(plan.FolderFor("pattern"), logged: true, names);
        await using Cluster pair = await Cluster.StartAsync(plan.FolderFor("pair"), logged: true, ["source", "sink"]);
        foreach ((int size, string text) in new[] { (16, "16 B"), (1024, "1 KiB") })
        {
            string name = $"{title}, fork {text}, logged";
            if (!plan.Wants(name))
            {
                continue;
            }

            Sample[] samples = await Sample.TakeInTurnsAsync(
                plan,
                new Run("immortals", cluster.Processes, seconds => FloodAsync(cluster, senders, receivers, crosswise, size, seconds)),
                new Run("one pair", pair.Processes, seconds => pair.FloodAsync("source", "sink", size, seconds)));
            Figure.Print(
                name,
                "messages/s",
                samples[0].MessagesPerSecond,
                samples[1].Name,
                samples[1].MessagesPerSecond,
                ("processorMicrosecondsPerMessage", samples[0].ProcessorMicroseconds()),
                ("residentMegabytes", samples[0].ResidentMegabytes()));
        }
    }

    private static async Task<Outcome> FloodAsync(Cluster cluster, string[] senders, string[] receivers, bool crosswise, int size,
        double seconds)
    {
        Outcome[] outcomes = await Task.WhenAll(senders.Select((sender, i) =>
            cluster.FloodAsync(sender, crosswise ? receivers[i] : string.Join(',', receivers), size, seconds)));
        return new Outcome(outcomes.Sum(static outcome => outcome.Messages), outcomes.Max(static outcome => outcome.Seconds), null);
    }
}
