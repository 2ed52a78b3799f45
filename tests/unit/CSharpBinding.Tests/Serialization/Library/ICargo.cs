using MessagePack;

namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>A list of types that the library closes.</summary>
[MessagePack.Union(0, typeof(Parcel))]
public interface ICargo;
