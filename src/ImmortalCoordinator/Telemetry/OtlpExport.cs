using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Settings;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.CoordinatorHost.Telemetry;
using Ambrosia.Primitives.Telemetry;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace Ambrosia.ImmortalCoordinator.Telemetry;

/// <summary>
/// Sends metrics and spans to a collector, if the standard variables name one; else nothing of the library runs. A collector that is slow
/// or gone fills a bounded queue, and then spans are dropped: nothing waits for it.
/// </summary>
internal sealed class OtlpExport : IDisposable
{
    private const int PartingMilliseconds = 1000; // A stop does not wait for a collector that is gone.
    private readonly TracerProvider? _traces;
    private readonly MeterProvider? _metrics;

    private OtlpExport(InstanceSettings options, OtlpVariables asked, Func<string, string?> environment)
    {
        // Of the variables, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win: they come last.
        ResourceBuilder resource = ResourceBuilder.CreateEmpty().AddTelemetrySdk()
            .AddService(
                "ambrosia-coordinator", serviceVersion: CoordinatorVersion.Text, autoGenerateServiceInstanceId: false,
                serviceInstanceId: options.InstanceName)
            .AddEnvironmentVariableDetector();
        if (asked.Traces)
        {
            Tracer = new MessageTracer(options.InstanceName, TraceRatio.Read(environment), TimeProvider.System);
            // The share is chosen by the derived ids, before a span is made.
            _traces = Sdk.CreateTracerProviderBuilder().SetResourceBuilder(resource).AddSource(MessageTracer.SourceName)
                .SetSampler(new AlwaysOnSampler()).AddOtlpExporter().Build();
        }

        if (asked.Metrics)
        {
            _metrics = Sdk.CreateMeterProviderBuilder().SetResourceBuilder(resource).AddMeter("Ambrosia.*")
                .AddView(static instrument => SemanticNames.ViewOf(instrument)).AddOtlpExporter().Build();
        }
    }

    /// <summary>Makes the spans; null if none are sent.</summary>
    public MessageTracer? Tracer { get; }

    /// <summary>Begins, if the variables ask for it; else null.</summary>
    /// <exception cref="CoordinatorHost.Options.OptionsException">One of them has a value that cannot be meant.</exception>
    public static OtlpExport? Start(InstanceSettings options, Func<string, string?> environment) =>
        OtlpVariables.Read(environment) is { Traces: false, Metrics: false } ? null
            : new OtlpExport(options, OtlpVariables.Read(environment), environment);

    /// <summary>Sends what is left, for a second at most.</summary>
    public void Dispose()
    {
        _traces?.Shutdown(PartingMilliseconds);
        _metrics?.Shutdown(PartingMilliseconds);
        _traces?.Dispose();
        _metrics?.Dispose();
    }
}
