using Ambrosia.Bench.Processes;
using Ambrosia.Bench.Relay.Rings;

namespace Ambrosia.Bench.Scenarios;

/// <summary>
/// What shared memory between app and coordinator would gain: the bare relay with Unix sockets there, as it is and with threads that wait
/// as the immortals' do, and with a ring each way, beside the immortals. The baseline is the relay that differs in nothing but the rings.
/// </summary>
internal static class SharedMemory
{
    private static readonly (AppHopKind Kind, string Name)[] s_kinds =
        [(AppHopKind.Sockets, "relay, sockets"), (AppHopKind.Rings, "relay, rings"),
            (AppHopKind.CopiedRings, "relay, rings, coordinators copy")];

    public static async Task RunAsync(Plan plan)
    {
        Device.Measure(plan);
        foreach (bool logged in (bool[])[true, false])
        {
            string setting = Throughput.Setting(logged);
            string[] names = [$"fork 64 KiB, {setting}", $"awaited call 16 B, 1000 outstanding, {setting}", $"ping 16 B, {setting}"];
            if (!names.Any(plan.Wants))
            {
                continue;
            }

            List<(string Name, RelayTopology Relay)> relays = [];
            try
            {
                foreach ((AppHopKind kind, string name) in s_kinds)
                {
                    relays.Add((name, await RelayTopology.StartAsync(plan.FolderFor($"{kind}-{logged}"), logged, kind)));
                }

                relays.Add(("relay, sockets, the runtime's threads",
                    await RelayTopology.StartAsync(plan.FolderFor($"runtime-{logged}"), logged)));
                await using Cluster cluster = await Cluster.StartAsync(plan.FolderFor($"immortals-{logged}"), logged, ["source", "sink"]);
                await MeasureAsync(plan, names[0], relays, static (relay, seconds) => relay.FloodAsync(65536, seconds),
                    new Run("immortals", cluster.Processes, seconds => cluster.FloodAsync("source", "sink", 65536, seconds)));
                await MeasureAsync(plan, names[1], relays, static (relay, seconds) => relay.CallAsync(16, 1000, seconds),
                    new Run("immortals", cluster.Processes, seconds => cluster.CallAsync("source", "sink", 16, 1000, seconds)));
                await MeasureAsync(plan, names[2], relays, static (relay, seconds) => relay.CallAsync(16, 1, seconds),
                    new Run("immortals", cluster.Processes, seconds => cluster.CallAsync("source", "sink", 16, 1, seconds)));
            }
            finally
            {
                foreach ((_, RelayTopology relay) in relays)
                {
                    await relay.DisposeAsync();
                }
            }
        }
    }

    private static async Task MeasureAsync(Plan plan, string name, List<(string Name, RelayTopology Relay)> relays,
        Func<RelayTopology, double, Task<Outcome>> once, Run immortals)
    {
        if (!plan.Wants(name))
        {
            return;
        }

        Sample[] samples = await Sample.TakeInTurnsAsync(plan,
            [.. relays.Select(one => new Run(one.Name, one.Relay.Processes, seconds => once(one.Relay, seconds))), immortals]);
        foreach (Sample sample in samples)
        {
            if (sample.HasRoundTrips)
            {
                Print($"{name}, p50, {sample.Name}", "us", sample, samples[0], static one => one.RoundTrip(static times => times.P50));
                Print($"{name}, p99, {sample.Name}", "us", sample, samples[0], static one => one.RoundTrip(static times => times.P99));
            }
            else
            {
                Print($"{name}, {sample.Name}", "messages/s", sample, samples[0], static one => one.MessagesPerSecond);
            }
        }
    }

    private static void Print(string name, string unit, Sample sample, Sample sockets, Func<Sample, Spread> of) =>
        Figure.Print(name, unit, of(sample), sockets.Name, of(sockets),
            ("processorMicrosecondsPerMessage", sample.ProcessorMicroseconds()));
}
