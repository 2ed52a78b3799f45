namespace Ambrosia.Cli.Clients;

/// <summary>One of the methods that have one name.</summary>
/// <param name="Parameters">Its parameters.</param>
/// <param name="Result">What it returns; null for nothing.</param>
/// <param name="IsQuery">Whether it may be asked without the log.</param>
internal sealed record ClientOverload(IReadOnlyList<WireMember> Parameters, WireType? Result, bool IsQuery);
