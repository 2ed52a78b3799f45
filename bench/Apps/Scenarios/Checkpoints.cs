using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>How long an immortal stands still for a checkpoint, by the size of its state: the longest round trip of pings during which one
/// was taken.</summary>
internal static class Checkpoints
{
    public static async Task RunAsync(Plan plan)
    {
        await using Cluster cluster =
            await Cluster.StartAsync(plan.FolderFor("checkpoint"), logged: true, ["source", "sink"], "--checkpoint-every", "1TiB");
        await cluster.CallAsync("source", "sink", 16, 1, plan.WarmUpSeconds);
        int grown = 0;
        foreach (int megabytes in plan.IsQuick ? (int[])[0, 64] : [0, 1, 16, 64, 256, 1024])
        {
            string name = $"checkpoint, {megabytes} MB of state";
            if (!plan.Wants(name))
            {
                continue;
            }

            await cluster.AskAsync("sink", $"grow {megabytes - grown}");
            grown = megabytes;
            (var with, var without) = (new List<double>(), new List<double>());
            for (int i = 0; i < plan.Repetitions; i++)
            {
                without.Add((await cluster.CallAsync("source", "sink", 16, 1, plan.Seconds)).RoundTrips!.Max / 1000);
                Task<Outcome> pings = cluster.CallAsync("source", "sink", 16, 1, plan.Seconds);
                await Task.Delay(TimeSpan.FromSeconds(plan.Seconds / 4));
                await cluster.AskAsync("sink", "save");
                with.Add((await pings).RoundTrips!.Max / 1000);
            }

            Figure.Print($"{name}, longest round trip", "ms", Spread.Of(with), "the same without a checkpoint", Spread.Of(without),
                ("stateMegabytes", megabytes));
        }
    }
}
