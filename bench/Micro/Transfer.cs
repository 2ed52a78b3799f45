namespace Ambrosia.Bench.Micro;

/// <summary>An argument as users have them.</summary>
public sealed record Transfer(string From, string To, decimal Amount, DateTime At, int[] Tags);
