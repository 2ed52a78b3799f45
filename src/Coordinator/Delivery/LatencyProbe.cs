using System.Diagnostics.Metrics;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>
/// Measures how long the app takes from getting a record to the end of its turns. One record at a time carries the probe, so that it costs
/// the others nothing; records of a replay are left out.
/// </summary>
internal sealed class LatencyProbe(TimeProvider time, string instance)
{
    private static readonly Meter s_meter = new("Ambrosia.App");
    private static readonly Histogram<double> s_turns = s_meter.CreateHistogram<double>(
        "ambrosia.app.execution.duration", "s", "From the delivery of a record to the end of its turns.");
    private readonly KeyValuePair<string, object?> _instance = new(LogStoreMetrics.InstanceTag, instance);
    private Lsn _probe;
    private long _since;

    /// <summary>A record is being written to the app.</summary>
    public void Delivered(Lsn lsn)
    {
        if (_probe == Lsn.None)
        {
            (_probe, _since) = (lsn, time.GetTimestamp());
        }
    }

    /// <summary>All turns up to this record have ended.</summary>
    public void Done(Lsn lsn)
    {
        if (_probe != Lsn.None && lsn >= _probe)
        {
            s_turns.Record(time.GetElapsedTime(_since).TotalSeconds, _instance);
            _probe = Lsn.None;
        }
    }

    /// <summary>The app has gone: what it had under way ends at no time.</summary>
    public void Reset() => _probe = Lsn.None;
}
