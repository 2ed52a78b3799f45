using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>A call from outside, whichever way it came.</summary>
/// <param name="Method">Name of the method.</param>
/// <param name="MethodId">Number of the method, which chooses among those of one name; null if only the name is known.</param>
/// <param name="Key">Its key; null if it has none.</param>
/// <param name="Form">How its arguments are written.</param>
/// <param name="Body">Its arguments, as they were sent.</param>
/// <param name="Wait">How long its caller waits.</param>
/// <param name="Sends">Whether its caller waits only until the call is in the log.</param>
/// <param name="Location">Where its answer may be asked for; null for nowhere.</param>
internal sealed record IngressCall(
    string Method, int? MethodId, IdempotencyKey? Key, IngressForm Form, byte[] Body, TimeSpan Wait, bool Sends, string? Location)
{
    /// <summary>By what repeats of it are compared: its body, if nothing else is said.</summary>
    public byte[] Compared { get; init; } = Body;
}
