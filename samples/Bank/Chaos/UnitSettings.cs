namespace Bank;

/// <summary>What makes one immortal of the bank.</summary>
/// <param name="Name">Instance name.</param>
/// <param name="Role">First argument of its app.</param>
internal sealed record UnitSettings(string Name, string Role);
