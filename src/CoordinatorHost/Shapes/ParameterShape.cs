namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>A parameter of a method.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">Its type.</param>
/// <param name="Default">Its bytes in a message if it is left out; null if it must be sent.</param>
/// <param name="DefaultJson">The same as JSON, for people.</param>
internal sealed record ParameterShape(string Name, TypeShape Type, byte[]? Default, string? DefaultJson);
