namespace Ambrosia.ImmortalCoordinator.Admin;

/// <summary>One time series.</summary>
internal sealed class MetricCell(int buckets)
{
    /// <summary>Value of a gauge or counter, sum of a histogram.</summary>
    public double Sum { get; set; }

    /// <summary>Measurements of a histogram.</summary>
    public long Count { get; private set; }

    /// <summary>Measurements up to each bound, not yet added up.</summary>
    public long[] Buckets { get; } = new long[buckets];

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
