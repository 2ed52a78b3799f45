using System.Diagnostics.Metrics;

namespace Ambrosia.LogStore.Settings;

/// <summary>Instruments of all logs in the process, under the meter <c>Ambrosia.LogStore</c>.</summary>
public static class LogStoreMetrics
{
    /// <summary>The tag that names the instance. Not "instance": Prometheus gives that name to the address it reads from.</summary>
    public const string InstanceTag = "ambrosia.instance";

    private static readonly Meter Meter = new("Ambrosia.LogStore");

    /// <summary>Seconds from the start of a record's write to the end of its sync.</summary>
    public static readonly Histogram<double> FlushDuration =
        Meter.CreateHistogram<double>("ambrosia.log.flush.duration", "s", "Write and sync of one record.");

    /// <summary>Records made durable.</summary>
    public static readonly Counter<long> Records = Meter.CreateCounter<long>("ambrosia.log.records", "{record}", "Records made durable.");

    /// <summary>Bytes made durable, headers and padding included.</summary>
    public static readonly Counter<long> Bytes = Meter.CreateCounter<long>("ambrosia.log.bytes", "By", "Bytes made durable.");
}
