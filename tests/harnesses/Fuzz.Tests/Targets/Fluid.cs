namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>Another kind of content.</summary>
public sealed record Fluid(decimal Litres, bool? Toxic, TimeSpan Age) : Content;
