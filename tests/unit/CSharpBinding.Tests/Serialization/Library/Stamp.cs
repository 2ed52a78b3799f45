namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>A type that carries no attribute: only a resolver knows how it travels.</summary>
public sealed record Stamp(int Ticks);
