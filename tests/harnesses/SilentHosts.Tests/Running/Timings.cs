using System.Globalization;

namespace Ambrosia.SilentHosts.Tests.Running;

/// <summary>Durations of one kind.</summary>
internal sealed class Timings
{
    private readonly List<double> _milliseconds = [];

    public int Count => _milliseconds.Count;

    public void Add(TimeSpan time) => _milliseconds.Add(time.TotalMilliseconds);

    public override string ToString()
    {
        double[] sorted = [.. _milliseconds.Order()];
        return sorted.Length == 0 ? "never"
            : string.Create(CultureInfo.InvariantCulture,
                $"min/median/max {sorted[0]:0}/{sorted[sorted.Length / 2]:0}/{sorted[^1]:0} ms ({sorted.Length} times)");
    }
}
