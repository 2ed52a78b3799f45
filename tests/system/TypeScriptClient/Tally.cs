namespace TypeScriptClient;

/// <summary>What was executed.</summary>
/// <param name="Calls">How many calls.</param>
/// <param name="Total">Their sum.</param>
/// <param name="Repeated">Names of those that were executed more than once.</param>
public sealed record Tally(int Calls, long Total, IReadOnlyList<string> Repeated);
