using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>What became of a call that was given to a stream to an instance.</summary>
/// <param name="Reply">What the instance has said; null if it has said nothing.</param>
/// <param name="End">How the stream ended; null if there is a reply, or there was none in time.</param>
/// <param name="MayHaveArrived">Whether a byte of the call may have left.</param>
internal readonly record struct InstanceSaid(IngressStreamedReply? Reply, StreamEnd? End, bool MayHaveArrived);
