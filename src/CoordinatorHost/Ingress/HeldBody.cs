using Ambrosia.Protocol;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// What an open request holds of the memory for bodies: what it has said that its body has, or what has arrived of one that says nothing,
/// as over gRPC.
/// </summary>
/// <param name="open">The open requests.</param>
/// <param name="caller">Whose request it is.</param>
/// <param name="bytes">What it has said.</param>
internal sealed class HeldBody(OpenRequests open, string caller, long bytes)
{
    /// <summary>Bytes that it holds.</summary>
    public long Bytes { get; private set; } = bytes;

    /// <summary>So many bytes have arrived.</summary>
    /// <exception cref="ProblemException">There is no room for them.</exception>
    public void Arrived(long total)
    {
        if (total <= Bytes)
        {
            return;
        }

        Bytes = open.TryHold(caller, total - Bytes) ? total : throw new ProblemException(OpenRequests.Full);
    }
}
