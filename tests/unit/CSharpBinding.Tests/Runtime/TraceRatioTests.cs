using Ambrosia.Primitives.Telemetry;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>The share of calls that is traced, by OpenTelemetry's own variables.</summary>
public sealed class TraceRatioTests
{
    [Theory]
    [InlineData(null, null, 1)]
    [InlineData("always_on", "0.5", 1)]
    [InlineData("always_off", null, 0)]
    [InlineData("parentbased_always_off", null, 0)]
    [InlineData("traceidratio", "0.01", 0.01)]
    [InlineData("parentbased_traceidratio", "0.25", 0.25)]
    [InlineData("parentbased_traceidratio", "2", 1)]
    [InlineData("parentbased_traceidratio", "much", 1)]
    [InlineData("jaeger_remote", "0.1", 1)]
    public void The_standard_variables_set_it(string? sampler, string? argument, double expected) => Assert.Equal(
        expected, TraceRatio.Read(name => name == "OTEL_TRACES_SAMPLER" ? sampler : name == "OTEL_TRACES_SAMPLER_ARG" ? argument : null));

    [Fact]
    public void What_is_no_share_is_refused_in_code() =>
        Assert.Throws<ArgumentOutOfRangeException>(static () => new ImmortalOptions { TraceRatio = 1.5 });
}
