using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What a client has sent to complete an awakeable. Repeats have the same.</summary>
/// <param name="Form">How it is completed.</param>
/// <param name="Kind">How the bytes are written. A reason that is no JSON is UTF-8.</param>
/// <param name="Bytes">The bytes.</param>
internal readonly record struct SentCompletion(AwakeableForm Form, IngressForm Kind, byte[] Bytes)
{
    /// <summary>By what repeats are compared.</summary>
    public ulong Hash => CallBody.HashOf((int)Form, Kind, Bytes);
}
