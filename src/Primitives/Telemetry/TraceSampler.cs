namespace Ambrosia.Primitives.Telemetry;

/// <summary>The samplers that <c>OTEL_TRACES_SAMPLER</c> may name, in its words without underscores.</summary>
internal enum TraceSampler
{
    /// <summary>Everything.</summary>
    AlwaysOn,

    /// <summary>Nothing.</summary>
    AlwaysOff,

    /// <summary>A share.</summary>
    TraceIdRatio,

    /// <summary>What the caller decided, else everything. The default.</summary>
    ParentBasedAlwaysOn,

    /// <summary>What the caller decided, else nothing.</summary>
    ParentBasedAlwaysOff,

    /// <summary>What the caller decided, else a share.</summary>
    ParentBasedTraceIdRatio,
}
