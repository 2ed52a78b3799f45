namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>How the values of a type stand in messages, and in JSON (docs/internals/shapes.md).</summary>
internal abstract record TypeShape;
