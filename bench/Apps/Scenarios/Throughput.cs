using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>Messages per second from one immortal to another: forks of several sizes, and awaited calls with many under way.</summary>
internal static class Throughput
{
    private static readonly (int Size, string Text)[] s_sizes =
        [(16, "16 B"), (64, "64 B"), (256, "256 B"), (1024, "1 KiB"), (4096, "4 KiB"), (16384, "16 KiB"), (65536, "64 KiB"),
            (1 << 20, "1 MiB")];

    private static readonly int[] s_quickSizes = [16, 1024, 65536];

    public static async Task RunAsync(Plan plan)
    {
        Device.Measure(plan);
        await using GrpcTopology? grpc = await GrpcTopology.StartAsync(plan.Folder);
        await using RelayTopology direct = await RelayTopology.StartDirectAsync();
        foreach (bool logged in (bool[])[true, false])
        {
            string folder = plan.FolderFor(logged ? "logged" : "not-logged");
            await using RelayTopology relay = await RelayTopology.StartAsync(folder, logged);
            await using Cluster cluster = await Cluster.StartAsync(folder, logged, ["source", "sink"]);
            foreach ((int size, string text) in s_sizes)
            {
                await ForkAsync(plan, $"fork {text}, {Setting(logged)}", size, cluster, relay, logged ? grpc : null, direct);
            }

            foreach (int outstanding in (int[])[100, 1000])
            {
                await CallAsync(plan, $"awaited call 16 B, {outstanding} outstanding, {Setting(logged)}", outstanding, cluster, relay,
                    grpc);
            }
        }
    }

    public static string Setting(bool logged) => logged ? "logged" : "no log";

    private static async Task ForkAsync(Plan plan, string name, int size, Cluster cluster, RelayTopology relay, GrpcTopology? grpc,
        RelayTopology direct)
    {
        if (!plan.Wants(name) || (plan.IsQuick && plan.Only is null && !s_quickSizes.Contains(size)))
        {
            return;
        }

        List<Run> runs =
        [
            new("immortals", cluster.Processes, seconds => cluster.FloodAsync("source", "sink", size, seconds)),
            new("bare relay of four processes, 256 KiB blocks", relay.Processes, seconds => relay.FloodAsync(size, seconds)),
        ];
        if (grpc is not null)
        {
            runs.Add(new Run("C++ gRPC stream", grpc.Processes, seconds => grpc.StreamAsync(size, hint: false, seconds)));
            runs.Add(new Run("C++ gRPC stream with buffer hint", grpc.Processes, seconds => grpc.StreamAsync(size, hint: true, seconds)));
            runs.Add(new Run("raw TCP, one hop, 256 KiB blocks", direct.Processes, seconds => direct.FloodAsync(size, seconds)));
        }

        Print(name, size, await Sample.TakeInTurnsAsync(plan, [.. runs]));
    }

    private static async Task CallAsync(Plan plan, string name, int outstanding, Cluster cluster, RelayTopology relay, GrpcTopology? grpc)
    {
        if (!plan.Wants(name) || (plan.IsQuick && plan.Only is null && outstanding != 1000))
        {
            return;
        }

        List<Run> runs =
        [
            new("immortals", cluster.Processes, seconds => cluster.CallAsync("source", "sink", 16, outstanding, seconds)),
            new("bare relay of four processes, echo, as many outstanding", relay.Processes, seconds =>
                relay.CallAsync(16, outstanding, seconds)),
        ];
        if (grpc is not null)
        {
            runs.Add(new Run("C++ gRPC unary, 100 outstanding", grpc.Processes, seconds => grpc.UnaryAsync(16, 100, seconds)));
        }

        Print(name, 16, await Sample.TakeInTurnsAsync(plan, [.. runs]));
    }

    private static void Print(string name, int size, Sample[] samples) => Figure.Print(
        name,
        "messages/s",
        samples[0].MessagesPerSecond,
        samples[1].Name,
        samples[1].MessagesPerSecond,
        ("payloadMegabytesPerSecond", Numbers.Short(samples[0].MessagesPerSecond.Median * size / 1e6)),
        ("size", size),
        ("messages", samples[0].Messages),
        ("others", samples[0].Against(samples[1..])),
        ("processorMicrosecondsPerMessage", samples[0].ProcessorMicroseconds()),
        ("residentMegabytes", samples[0].ResidentMegabytes()));
}
