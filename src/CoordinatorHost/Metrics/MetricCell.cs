namespace Ambrosia.CoordinatorHost.Metrics;

/// <summary>One time series.</summary>
internal sealed class MetricCell(int buckets, KeyValuePair<string, object?>[] tags)
{
    /// <summary>What tells it from the other series of its instrument.</summary>
    public KeyValuePair<string, object?>[] Tags { get; } = tags;

    /// <summary>Value of a gauge or counter, sum of a histogram.</summary>
    public double Sum { get; set; }

    /// <summary>Measurements of a histogram.</summary>
    public long Count { get; private set; }

    /// <summary>Measurements up to each bound, not yet added up.</summary>
    public long[] Buckets { get; } = new long[buckets];

    /// <summary>
    /// Whether a measurement with these tags belongs here. Allocates nothing: measurements come while messages are handled.
    /// </summary>
    public bool IsOf(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (tags.Length != Tags.Length)
        {
            return false;
        }

        for (int i = 0; i < tags.Length; i++)
        {
            if (tags[i].Key != Tags[i].Key || !Equals(tags[i].Value, Tags[i].Value))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Adds a measurement to a histogram.</summary>
    public void Observe(double value, IReadOnlyList<double> bounds)
    {
        Sum += value;
        Count++;
        for (int i = 0; i < bounds.Count; i++)
        {
            if (value <= bounds[i])
            {
                Buckets[i]++;
                return;
            }
        }
    }
}
