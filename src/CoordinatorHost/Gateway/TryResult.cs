using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>The end of one try.</summary>
/// <param name="Outcome">What became of it.</param>
/// <param name="Answer">What the instance said; null if it said nothing.</param>
/// <param name="Reason">Why there is no answer.</param>
internal readonly record struct TryResult(TryOutcome Outcome, InstanceAnswer? Answer, string Reason = "")
{
    /// <summary>What the instance said of a call on a stream; null if it said nothing, or the call was no such one.</summary>
    public IngressStreamedReply? Streamed { get; init; }
}
