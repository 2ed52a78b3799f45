using System.Text.Json.Serialization;
using BenchmarkDotNet.Mathematics;
using BenchmarkDotNet.Reports;

namespace Ambrosia.Bench.Micro;

/// <summary>One line as <c>bench/run</c> prints them.</summary>
internal sealed record Figure(
    [property: JsonPropertyName("name")] string Name,
    [property: JsonPropertyName("unit")] string Unit,
    [property: JsonPropertyName("value")] double Value,
    [property: JsonPropertyName("min")] double Min,
    [property: JsonPropertyName("max")] double Max,
    [property: JsonPropertyName("baselineName")] string? BaselineName,
    [property: JsonPropertyName("baseline")] double? Baseline,
    [property: JsonPropertyName("ratio")] double? Ratio,
    [property: JsonPropertyName("allocatedBytes")] long? AllocatedBytes)
{
    /// <summary>The figure, and what it is compared with.</summary>
    public static Figure Of(BenchmarkReport report, BenchmarkReport? baseline)
    {
        Statistics own = report.ResultStatistics!;
        double? least = baseline?.ResultStatistics!.Median;
        return new Figure(
            $"micro {NameOf(report)}", "ns", Rounded(own.Median), Rounded(own.Min), Rounded(own.Max), baseline is null ? null
            : NameOf(baseline), least is { } value ? Rounded(value) : null,
            least is { } divisor ? Math.Round(own.Median / divisor, 3)
            : null, report.GcStats.GetBytesAllocatedPerOperation(report.BenchmarkCase));
    }

    private static double Rounded(double nanoseconds) => Math.Round(nanoseconds, 2);

    private static string NameOf(BenchmarkReport report) =>
        $"{report.BenchmarkCase.Descriptor.Type.Name.Replace("Benchmark", "", StringComparison.Ordinal)}."
        + $"{report.BenchmarkCase.Descriptor.WorkloadMethod.Name}";
}
