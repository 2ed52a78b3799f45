namespace Ambrosia.Coordinator.Outside;

/// <summary>Keys of this caller that were made up to here, and are not known, are refused from now on.</summary>
/// <param name="Caller">Its authenticated name.</param>
/// <param name="Born">In milliseconds since 1970.</param>
public readonly record struct KeyHorizon(string Caller, ulong Born);
