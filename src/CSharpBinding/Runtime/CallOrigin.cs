using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>Whom the outcome of a handler concerns.</summary>
/// <param name="Kind">How the call was sent.</param>
/// <param name="MethodId">Its method.</param>
/// <param name="Caller">Async: who waits for the reply.</param>
/// <param name="Number">Async: the call's number over there. Impulse: the waiter's number here, 0 for none.</param>
internal readonly record struct CallOrigin(RpcKind Kind, int MethodId, Destination? Caller, long Number);
