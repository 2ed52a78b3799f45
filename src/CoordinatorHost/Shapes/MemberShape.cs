namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>A member of an object.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">Its type.</param>
/// <param name="At">Its position, in an object that is sent as an array.</param>
/// <param name="IsNeeded">Whether it must be sent.</param>
internal sealed record MemberShape(string Name, TypeShape Type, int At, bool IsNeeded);
