namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>A value that consists of no others.</summary>
internal sealed record ScalarShape(ScalarKind Kind) : TypeShape;
