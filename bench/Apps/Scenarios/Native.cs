using System.Text.Json.Nodes;
using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>What a coordinator that was compiled ahead of time costs beside the same one compiled while it runs, in turns: each has two
/// immortals, with apps of one kind.</summary>
internal static class Native
{
    private const int Turns = 9; // Many short ones: what else the machine does falls on all alike.
    private const double TurnSeconds = 1;
    private const int WarmUps = 5; // The compiler is done with a busy coordinator after ten to twenty seconds.
    private static readonly string[] s_names = ["source", "sink"];

    public static async Task RunAsync(Plan plan)
    {
        string[] coordinators = [.. Cluster.NamedCoordinators, Cluster.BuiltCoordinator];
        foreach (bool logged in (bool[])[true, false])
        {
            List<Cluster> clusters = [];
            try
            {
                foreach (string coordinator in coordinators)
                {
                    clusters.Add(await Cluster.StartAsync(coordinator, plan.FolderFor($"{Throughput.Setting(logged)} {clusters.Count}"),
                        logged, s_names));
                }

                await MeasureAsync(plan, logged, coordinators, clusters);
            }
            finally
            {
                foreach (Cluster cluster in clusters)
                {
                    await cluster.DisposeAsync();
                }
            }
        }
    }

    private static async Task MeasureAsync(Plan plan, bool logged, string[] coordinators, List<Cluster> clusters)
    {
        (string Name, Func<Cluster, double, Task<Outcome>> Once)[] figures =
        [
            ("fork 16 B", static (cluster, seconds) => cluster.FloodAsync("source", "sink", 16, seconds)),
            ("fork 1 KiB", static (cluster, seconds) => cluster.FloodAsync("source", "sink", 1024, seconds)),
            ("awaited call 16 B, 1000 outstanding", static (cluster, seconds) => cluster.CallAsync("source", "sink", 16, 1000, seconds)),
        ];
        foreach ((string name, Func<Cluster, double, Task<Outcome>> once) in figures)
        {
            string figure = $"native, {name}, {Throughput.Setting(logged)}";
            if (plan.Wants(figure))
            {
                await clusters[^1].WarmUpAsync(once, plan);
                Sample[] samples = await Sample.TakeInTurnsAsync(plan.IsQuick ? plan : plan with
                    { Seconds = TurnSeconds, Repetitions = Turns },
                    [.. clusters.Select((cluster, i) => new Run(coordinators[i], cluster.Processes, seconds => once(cluster, seconds)))]);
                for (int i = 0; i < samples.Length - 1; i++)
                {
                    Print(figure, samples[i], samples[^1]);
                }
            }
        }
    }

    private static async Task WarmUpAsync(this Cluster cluster, Func<Cluster, double, Task<Outcome>> once, Plan plan)
    {
        for (int i = 0; i < WarmUps; i++)
        {
            await once(cluster, plan.WarmUpSeconds);
        }
    }

    private static void Print(string name, Sample native, Sample built)
    {
        JsonObject ours = native.ProcessorMicroseconds(), theirs = built.ProcessorMicroseconds();
        Figure.Print(
            name,
            "messages/s",
            native.MessagesPerSecond,
            "the coordinator as built",
            built.MessagesPerSecond,
            ("coordinator", native.Name),
            ("processorRatio", Numbers.Short(Coordinators(ours) / Coordinators(theirs))),
            ("processorMicrosecondsPerMessage", ours),
            ("asBuilt", theirs));
    }

    private static double Coordinators(JsonObject processors) => s_names.Sum(name => processors[$"coordinator {name}"]!.GetValue<double>());
}
