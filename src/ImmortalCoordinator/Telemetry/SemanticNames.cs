using System.Diagnostics.Metrics;
using OpenTelemetry.Metrics;

namespace Ambrosia.ImmortalCoordinator.Telemetry;

/// <summary>
/// What instruments of the process are called by OpenTelemetry's conventions. /metrics has Prometheus' own names for them.
/// </summary>
internal static class SemanticNames
{
    private static readonly Dictionary<string, MetricStreamConfiguration> s_views = new()
    {
        ["process.resident_memory"] = new() { Name = "process.memory.usage" },
        ["process.cpu"] = new() { Name = "process.cpu.time" },
        ["process.open_fds"] = new() { Name = "process.unix.file_descriptor.count" },
        ["process.start_time"] = MetricStreamConfiguration.Drop, // It is the start of the series.
    };

    /// <summary>The view of an instrument; null: as it is.</summary>
    public static MetricStreamConfiguration? ViewOf(Instrument instrument) => s_views.GetValueOrDefault(instrument.Name);
}
