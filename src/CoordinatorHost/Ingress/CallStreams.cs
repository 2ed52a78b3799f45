namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What all streams of calls of one address share.</summary>
/// <param name="Open">The requests that are being answered: each call of a stream is one of them.</param>
/// <param name="Limits">Limits.</param>
/// <param name="Time">Clock.</param>
/// <param name="Refused">Told of each call that was refused.</param>
/// <param name="Closing">The address closes: what waits is told so, and streams end.</param>
internal sealed record CallStreams(
    OpenRequests Open, IngressLimits Limits, TimeProvider Time, Action<Problem> Refused, CancellationToken Closing)
{
    /// <summary>Nothing more is taken: each stream ends when what it has read is answered. Default: never.</summary>
    public CancellationToken Draining { get; init; }

    /// <summary>Whether this is a gateway, which passes calls on as they were written. Default false.</summary>
    public bool PassesOn { get; init; }
}
