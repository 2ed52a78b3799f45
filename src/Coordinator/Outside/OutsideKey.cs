namespace Ambrosia.Coordinator.Outside;

/// <summary>What makes a call from outside the same call each time that it is said.</summary>
/// <param name="Caller">Authenticated name of the caller, 1 to 255 bytes of UTF-8.</param>
/// <param name="Text">Hash of the key's text.</param>
/// <param name="Born">When the key was made, in milliseconds since 1970.</param>
/// <param name="N">Its number in its line; 1 in a line of one call.</param>
/// <param name="Low">The caller is done with all calls of the line up to this one; 0 for none.</param>
public readonly record struct OutsideKey(string Caller, KeyHash Text, ulong Born, ulong N = 1, ulong Low = 0);
