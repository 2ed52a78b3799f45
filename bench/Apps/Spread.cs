namespace Ambrosia.Bench;

/// <summary>The repetitions of one measurement.</summary>
internal readonly record struct Spread(double Min, double Median, double Max)
{
    public static Spread Of(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return new Spread(sorted[0], sorted[sorted.Length / 2], sorted[^1]);
    }
}
