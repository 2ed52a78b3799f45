namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>A bit of everything that can be an argument.</summary>
public sealed record Parcel(string Label, int Weight, DateTime Sent, double[]? Sizes, Content? Inside, List<Parcel> Others);
