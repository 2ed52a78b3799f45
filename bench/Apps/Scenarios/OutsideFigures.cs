namespace Ambrosia.Bench.Scenarios;

/// <summary>Lines about calls from outside: how many a second, and how long each takes.</summary>
internal static class OutsideFigures
{
    private static readonly (string Name, Func<Percentiles, double> Of)[] s_percentiles =
        [("p50", static times => times.P50), ("p99", static times => times.P99)];

    /// <summary>Prints the first sample beside the second one, and what further ones did.</summary>
    public static void Print(string name, IReadOnlyList<Sample> samples)
    {
        (Sample ours, Sample baseline) = (samples[0], samples[1]);
        Figure.Print(
            name, "calls/s", ours.MessagesPerSecond, baseline.Name, baseline.MessagesPerSecond,
            ("processorMicrosecondsPerMessage", ours.ProcessorMicroseconds()),
            ("bareProcessorMicroseconds", baseline.ProcessorMicroseconds()),
            ("others", samples.Count > 2 ? ours.Against(samples.Skip(2)) : null));
        foreach ((string percentile, Func<Percentiles, double> of) in s_percentiles)
        {
            Figure.Print($"{name}, {percentile}", "us", ours.RoundTrip(of), baseline.Name, baseline.RoundTrip(of));
        }
    }
}
