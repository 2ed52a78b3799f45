namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>Writes stamps as their number.</summary>
internal sealed class OneStampResolver() : StampResolver(1);
