namespace Ambrosia.Coordinator.Outside;

/// <summary>A call from outside that has a key.</summary>
/// <param name="Caller">Authenticated name of the caller.</param>
/// <param name="Key">The key.</param>
/// <param name="Born">When the key says that it was made, in milliseconds since 1970.</param>
/// <param name="N">Its number in the line; 1 in a line of one call.</param>
/// <param name="Low">The caller is done with all calls of the line up to this one.</param>
/// <param name="Body">Hash of method, kind of content and body.</param>
internal readonly record struct OutsideRequest(string Caller, KeyHash Key, ulong Born, ulong N, ulong Low, ulong Body);
