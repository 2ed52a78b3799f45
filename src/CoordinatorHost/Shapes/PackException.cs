namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Bytes that are no MessagePack, or not that of the type that was expected.</summary>
internal sealed class PackException(string reason) : FormatException(reason);
