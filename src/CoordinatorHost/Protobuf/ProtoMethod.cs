using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>A method of a typed service.</summary>
/// <param name="Name">Its name there.</param>
/// <param name="Shape">The app's method.</param>
/// <param name="Request">Its arguments.</param>
/// <param name="Reply">Its result.</param>
/// <param name="Missing">Why it is not in the service; null if it is.</param>
internal sealed record ProtoMethod(string Name, MethodShape Shape, ProtoMessage Request, ProtoMessage Reply, string? Missing);
