namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>A parser did something that no input may make it do.</summary>
internal sealed class PropertyBrokenException(string property) : Exception(property);
