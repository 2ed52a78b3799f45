namespace Ambrosia.Cli.Clients;

/// <summary>A type with a name.</summary>
/// <param name="Schema">Its name in the document, which no other has.</param>
/// <param name="Title">Its name in the app.</param>
/// <param name="Type">What it is.</param>
internal sealed record NamedType(string Schema, string Title, WireType Type);
