using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>What a caller of a gateway is told: what the instance has said, or a problem of the gateway's own.</summary>
/// <param name="Answer">What the instance has said; null for a problem.</param>
/// <param name="Problem">Why there is no answer; null if there is one.</param>
internal readonly record struct Forwarded(InstanceAnswer? Answer, Problem? Problem)
{
    /// <summary>What the instance has said of a call on a stream; null for a problem, and for other calls.</summary>
    public IngressStreamedReply? Streamed { get; init; }
}
