namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>A type that has a name; it may hold itself, so what it consists of is said after it was made.</summary>
internal abstract record NamedShape(int Number, string Name) : TypeShape;
