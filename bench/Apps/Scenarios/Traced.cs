using Ambrosia.Bench.Processes;
using Ambrosia.Tests.Common;

namespace Ambrosia.Bench.Scenarios;

/// <summary>What it costs coordinators to trace one call in a hundred and to send spans and metrics to a collector: with and without it, in
/// turns.</summary>
internal static class Traced
{
    private static readonly string[] s_names = ["source", "sink"];

    public static async Task RunAsync(Plan plan)
    {
        await using var collector = new OtlpReceiver();
        (string Name, string Value)[] variables =
        [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.Address), ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
            ("OTEL_TRACES_SAMPLER", "traceidratio"), ("OTEL_TRACES_SAMPLER_ARG", "0.01"),
        ];
        // The processes of a cluster have the variables that this one has when they are started.
        foreach ((string name, string value) in variables)
        {
            Environment.SetEnvironmentVariable(name, value);
        }

        await using Cluster traced = await Cluster.StartAsync(plan.FolderFor("traced"), logged: true, s_names);
        foreach ((string name, _) in variables)
        {
            Environment.SetEnvironmentVariable(name, null);
        }

        await using Cluster plain = await Cluster.StartAsync(plan.FolderFor("plain"), logged: true, s_names);
        foreach ((int size, string text) in new[] { (16, "16 B"), (1024, "1 KiB") })
        {
            await CompareAsync(plan, $"traced 1 %, fork {text}", traced, plain, (cluster, seconds) =>
                cluster.FloodAsync("source", "sink", size, seconds));
        }

        await CompareAsync(plan, "traced 1 %, awaited call 16 B, 1000 outstanding", traced, plain, static (cluster, seconds) =>
            cluster.CallAsync("source", "sink", 16, 1000, seconds));
        Console.Error.WriteLine($"{collector.Spans.Count} spans and {collector.Metrics.Count} metrics have arrived.");
    }

    private static async Task CompareAsync(Plan plan, string name, Cluster traced, Cluster plain, Func<Cluster, double, Task<Outcome>> run)
    {
        if (!plan.Wants(name))
        {
            return;
        }

        Sample[] samples = await Sample.TakeInTurnsAsync(
            plan,
            new Run("immortals, traced", traced.Processes, seconds => run(traced, seconds)),
            new Run("the same without tracing", plain.Processes, seconds => run(plain, seconds)));
        Figure.Print(
            name,
            "messages/s",
            samples[0].MessagesPerSecond,
            samples[1].Name,
            samples[1].MessagesPerSecond,
            ("processorMicrosecondsPerMessage", samples[0].ProcessorMicroseconds()),
            ("withoutTracing", samples[1].ProcessorMicroseconds()));
    }
}
