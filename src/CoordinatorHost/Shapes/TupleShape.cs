namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Values of several types, each at its place.</summary>
internal sealed record TupleShape(IReadOnlyList<TypeShape> Items) : TypeShape;
