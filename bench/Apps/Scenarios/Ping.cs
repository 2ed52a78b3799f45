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
        foreach (bool logged in (bool[])[true, false])
        {
            string folder = Path.Combine(plan.Folder, logged ? "logged" : "not-logged");
            await using RelayTopology relay = await RelayTopology.StartAsync(folder, logged);
            await using ImmortalTopology immortals = await ImmortalTopology.StartAsync(folder, logged);
            Sample[] samples = await Sample.TakeInTurnsAsync(plan, (relay, seconds => relay.CallAsync(Size, 1, seconds)), (immortals, seconds => immortals.CallAsync(Size, 1, seconds)));
            (Sample bare, Sample pings) = (samples[0], samples[1]);
            foreach ((string name, Func<Percentiles, double> of) in s_percentiles)
            {
                Figure.Print(
                    $"ping 16 B, {(logged ? "logged" : "no log")}, {name}",
                    "us",
                    pings.RoundTrip(of),
                    "bare relay of four processes",
                    bare.RoundTrip(of),
                    ("messages", pings.Messages),
                    ("processorMicrosecondsPerMessage", pings.ProcessorMicroseconds()));
            }
        }
    }
}
