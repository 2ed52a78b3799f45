namespace Ambrosia.Cli.Clients;

/// <summary>A method that an address offers.</summary>
/// <param name="Name">Its name there.</param>
/// <param name="Overloads">What it takes and returns; more than one if several have this name.</param>
internal sealed record ClientMethod(string Name, IReadOnlyList<ClientOverload> Overloads);
