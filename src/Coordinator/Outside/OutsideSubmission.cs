namespace Ambrosia.Coordinator.Outside;

/// <summary>A call from outside, as it arrives.</summary>
/// <param name="Key">Its key; null if it has none: then it is executed at most once, and nothing is kept of it (X28).</param>
/// <param name="Method">Id of the method.</param>
/// <param name="Arguments">Its arguments, as a binding reads them.</param>
/// <param name="Body">The first 8 bytes of a SHA-256 of method, kind of content and body as they were sent (X5).</param>
public sealed record OutsideSubmission(OutsideKey? Key, int Method, ReadOnlyMemory<byte> Arguments, ulong Body);
