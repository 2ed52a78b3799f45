using System.Globalization;

namespace Ambrosia.Primitives.Telemetry;

/// <summary>The share of calls that is traced, as the standard variables of OpenTelemetry say it.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class TraceRatio
{
    /// <summary>Reads <c>OTEL_TRACES_SAMPLER</c> and <c>OTEL_TRACES_SAMPLER_ARG</c>; 1 where they name no share.</summary>
    /// <param name="environment">Value of an environment variable, or null.</param>
    public static double Read(Func<string, string?> environment) => SamplerOf(environment("OTEL_TRACES_SAMPLER")) switch
    {
        TraceSampler.AlwaysOff or TraceSampler.ParentBasedAlwaysOff => 0,
        TraceSampler.TraceIdRatio or TraceSampler.ParentBasedTraceIdRatio => ShareOf(environment("OTEL_TRACES_SAMPLER_ARG")),
        _ => 1,
    };

    // Any other word is that of a sampler in code, which decides for itself.
    private static TraceSampler SamplerOf(string? text) =>
        Enum.TryParse(text?.Replace("_", "", StringComparison.Ordinal), ignoreCase: true, out TraceSampler sampler) ? sampler
            : TraceSampler.ParentBasedAlwaysOn;

    private static double ShareOf(string? text) =>
        double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double share) && share is >= 0 and <= 1 ? share : 1;
}
