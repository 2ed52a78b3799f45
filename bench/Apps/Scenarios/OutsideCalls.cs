using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>Calls from outside with keys, logged and answered, beside a bare server of the same kind that does nothing but
/// answer.</summary>
internal static class OutsideCalls
{
    private const int Size = 16;
    private static readonly (string Kind, string Caller, string Server)[] s_ways = [("HTTP and JSON", "http-caller", "http-echo")];

    public static async Task RunAsync(Plan plan)
    {
        Device.Measure(plan);
        foreach ((string kind, string caller, string server) in s_ways)
        {
            await using OutsideTopology immortal = await OutsideTopology.StartImmortalAsync(plan.FolderFor(caller), caller);
            await using OutsideTopology bare = await OutsideTopology.StartBareAsync(server, caller);
            foreach (int outstanding in (int[])[1, 100])
            {
                await CompareAsync(plan, $"call from outside, {kind}, 16 B, {outstanding} outstanding", immortal, bare, outstanding);
            }
        }
    }

    private static async Task CompareAsync(Plan plan, string name, OutsideTopology immortal, OutsideTopology bare, int outstanding)
    {
        if (!plan.Wants(name))
        {
            return;
        }

        Sample[] samples = await Sample.TakeInTurnsAsync(
            plan,
            new Run("immortal, logged, with keys", immortal.Processes, seconds => immortal.CallAsync(Size, outstanding, seconds)),
            new Run("bare server", bare.Processes, seconds => bare.CallAsync(Size, outstanding, seconds)));
        Figure.Print(
            name, "calls/s", samples[0].MessagesPerSecond, samples[1].Name, samples[1].MessagesPerSecond,
            ("processorMicrosecondsPerMessage", samples[0].ProcessorMicroseconds()),
            ("bareProcessorMicroseconds", samples[1].ProcessorMicroseconds()));
        foreach ((string percentile, Func<Percentiles, double> of) in new (string, Func<Percentiles, double>)[]
        {
            ("p50", static times => times.P50), ("p99", static times => times.P99),
        })
        {
            Figure.Print($"{name}, {percentile}", "us", samples[0].RoundTrip(of), samples[1].Name, samples[1].RoundTrip(of));
        }
    }
}
