using System.Text.Json.Nodes;
using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>Messages per second from one immortal to another: forks of three sizes, and awaited calls with many under way.</summary>
internal static class Throughput
{
    private const int Outstanding = 1000;
    private static readonly (int Size, string Text)[] s_sizes = [(16, "16 B"), (1024, "1 KiB"), (65536, "64 KiB")];

    public static async Task RunAsync(Plan plan)
    {
        Device.Measure(plan);
        foreach (bool logged in (bool[])[true, false])
        {
            string folder = Path.Combine(plan.Folder, logged ? "logged" : "not-logged");
            string suffix = logged ? ", logged" : ", no log";
            await using RelayTopology relay = await RelayTopology.StartAsync(folder, logged);
            await using ImmortalTopology immortals = await ImmortalTopology.StartAsync(folder, logged);
            foreach ((int size, string text) in s_sizes)
            {
                Sample[] floods = await Sample.TakeInTurnsAsync(plan, (relay, seconds => relay.FloodAsync(size, seconds)), (immortals, seconds => immortals.FloodAsync(size, seconds)));
                Print($"fork {text}{suffix}", floods[1], "bare relay of four processes, 256 KiB blocks, same payload bytes", floods[0].MessagesPerSecond, size, immortals);
            }

            Sample[] calls = await Sample.TakeInTurnsAsync(
                plan, (relay, seconds => relay.CallAsync(16, Outstanding, seconds)), (immortals, seconds => immortals.CallAsync(16, Outstanding, seconds)));
            Print($"awaited call 16 B, {Outstanding} outstanding{suffix}", calls[1], "bare relay of four processes, echo of 16 B, as many outstanding", calls[0].MessagesPerSecond, 16, immortals);
        }
    }

    private static void Print(string name, Sample sample, string baselineName, Spread baseline, int size, ImmortalTopology immortals) => Figure.Print(
        name,
        "messages/s",
        sample.MessagesPerSecond,
        baselineName,
        baseline,
        ("payloadMegabytesPerSecond", Numbers.Short(sample.MessagesPerSecond.Median * size / 1e6)),
        ("messages", sample.Messages),
        ("processorMicrosecondsPerMessage", sample.ProcessorMicroseconds()),
        ("residentMegabytes", Resident(immortals)));

    private static JsonObject Resident(ImmortalTopology immortals)
    {
        var each = new JsonObject();
        foreach (Child process in immortals.Processes)
        {
            each[process.Name] = Numbers.Short(process.ResidentMegabytes());
        }

        return each;
    }
}
