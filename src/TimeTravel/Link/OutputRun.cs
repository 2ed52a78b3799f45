namespace Ambrosia.TimeTravel.Link;

/// <summary>Consecutive messages to one destination.</summary>
/// <param name="Destination">Their destination; the same string object for the same destination within a session.</param>
/// <param name="Offset">Where their bytes begin.</param>
/// <param name="Length">How many bytes.</param>
/// <param name="Count">How many messages.</param>
internal readonly record struct OutputRun(string Destination, int Offset, int Length, int Count);
