namespace Ambrosia.Coordinator.Outside;

/// <summary>A record opens a line: a key that was not known before. Its number is the next one.</summary>
/// <param name="Caller">Authenticated name of the caller.</param>
/// <param name="Key">The key.</param>
/// <param name="Born">When the key says that it was made, in milliseconds since 1970.</param>
public readonly record struct OpenedLine(string Caller, KeyHash Key, ulong Born);
