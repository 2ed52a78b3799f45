using System.Text.Json.Nodes;
using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>The time of one awaited call of 16 bytes with nothing else under way.</summary>
internal static class Ping
{
    private const int Size = 16;

    private static readonly (string Name, Func<Percentiles, double> Of)[] s_percentiles =
    [
        ("p50", static times => times.P50), ("p90", static times => times.P90), ("p99", static times => times.P99),
        ("p99.9", static times => times.P999), ("max", static times => times.Max),
    ];

    public static async Task RunAsync(Plan plan)
    {
        Device.Measure(plan);
        await using GrpcTopology? grpc = await GrpcTopology.StartAsync(plan.Folder);
        await using RelayTopology direct = await RelayTopology.StartDirectAsync();
        foreach (bool logged in (bool[])[true, false])
        {
            string name = $"ping 16 B, {Throughput.Setting(logged)}";
            if (!plan.Wants(name))
            {
                continue;
            }

            string folder = plan.FolderFor(logged ? "logged" : "not-logged");
            await using RelayTopology relay = await RelayTopology.StartAsync(folder, logged);
            await using Cluster cluster = await Cluster.StartAsync(folder, logged, ["source", "sink"]);
            List<Run> runs =
            [
                new("immortals", cluster.Processes, seconds => cluster.CallAsync("source", "sink", Size, 1, seconds)),
                new("bare relay of four processes", relay.Processes, seconds => relay.CallAsync(Size, 1, seconds)),
                new("raw TCP, one hop", direct.Processes, seconds => direct.CallAsync(Size, 1, seconds)),
            ];
            if (grpc is not null)
            {
                runs.Add(new Run("C++ gRPC unary", grpc.Processes, seconds => grpc.UnaryAsync(Size, 1, seconds)));
            }

            Print(name, await Sample.TakeInTurnsAsync(plan, [.. runs]));
        }
    }

    private static void Print(string name, Sample[] samples)
    {
        foreach ((string percentile, Func<Percentiles, double> of) in s_percentiles)
        {
            var others = new JsonObject();
            foreach (Sample other in samples[1..])
            {
                others[other.Name] = new JsonObject
                {
                    ["value"] = Numbers.Short(other.RoundTrip(of).Median),
                    ["ratio"] = Numbers.Short(samples[0].RoundTrip(of).Median / other.RoundTrip(of).Median),
                };
            }

            Figure.Print(
                $"{name}, {percentile}",
                "us",
                samples[0].RoundTrip(of),
                samples[1].Name,
                samples[1].RoundTrip(of),
                ("messages", samples[0].Messages),
                ("others", others),
                ("processorMicrosecondsPerMessage", samples[0].ProcessorMicroseconds()));
        }
    }
}
