using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>Where the outcome of a handler goes.</summary>
/// <param name="Kind">How the call was sent.</param>
/// <param name="MethodId">Its method.</param>
/// <param name="Caller">Async: the instance that waits for the reply.</param>
/// <param name="Number">Async: the call's number over there. Impulse: the waiter's number, 0 for none.</param>
/// <param name="Incarnation">Impulse with a waiter: the connection that it was sent on, which need not be this one.</param>
internal readonly record struct CallOrigin(RpcKind Kind, int MethodId, Destination? Caller, long Number, ulong Incarnation = 0);
