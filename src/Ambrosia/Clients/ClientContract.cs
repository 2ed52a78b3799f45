namespace Ambrosia.Cli.Clients;

/// <summary>What an address for calls from outside offers.</summary>
/// <param name="Interface">Name of the interface, without its namespace.</param>
/// <param name="Instance">Name of the instance.</param>
/// <param name="Methods">Its methods.</param>
/// <param name="Types">Types that have names.</param>
internal sealed record ClientContract(
    string Interface, string Instance, IReadOnlyList<ClientMethod> Methods, IReadOnlyList<NamedType> Types);
