namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>What a parcel holds: one of several types.</summary>
[Union(0, typeof(Books)), Union(1, typeof(Fluid))]
public abstract record Content;
