namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>A value, or null.</summary>
internal sealed record OptionalShape(TypeShape Value) : TypeShape;
