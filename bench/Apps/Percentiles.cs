namespace Ambrosia.Bench;

/// <summary>Round trips in microseconds.</summary>
internal sealed record Percentiles(int Count, double P50, double P90, double P99, double P999, double Max)
{
    /// <summary>Sorts <paramref name="microseconds"/>, which must not be empty, in place.</summary>
    public static Percentiles Of(Span<double> microseconds)
    {
        microseconds.Sort();
        int last = microseconds.Length - 1;
        return new Percentiles(
            microseconds.Length,
            microseconds[last / 2],
            microseconds[(int)(last * 0.9)],
            microseconds[(int)(last * 0.99)],
            microseconds[(int)(last * 0.999)],
            microseconds[last]);
    }
}
