namespace Ambrosia.Cli.Clients;

/// <summary>A method as JavaScript calls it.</summary>
/// <param name="Name">Its name there.</param>
/// <param name="Called">Its name at the address.</param>
/// <param name="Overloads">What it takes and returns, each with the name of the type of its arguments.</param>
internal sealed record TypeScriptMethod(string Name, string Called, IReadOnlyList<(string Name, ClientOverload Overload)> Overloads);
