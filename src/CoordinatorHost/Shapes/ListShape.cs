namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Any number of values.</summary>
internal sealed record ListShape(TypeShape Item) : TypeShape;
