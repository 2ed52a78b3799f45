namespace Ambrosia.Cli.Clients;

/// <summary>A member of an object.</summary>
/// <param name="Name">Its name in JSON.</param>
/// <param name="Type">Its type; for a case of a union the object of that case.</param>
/// <param name="IsNeeded">Whether it must be sent.</param>
internal sealed record WireMember(string Name, WireType Type, bool IsNeeded);
