namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>A text that says no shapes (docs/internals/shapes.md).</summary>
internal sealed class ShapeException(string reason) : FormatException(reason);
