namespace Ambrosia.Runtime;

/// <summary>A type of which there are awakeables.</summary>
/// <param name="Id">What stands for it in the ids of awakeables.</param>
/// <param name="Name">Its full name.</param>
/// <param name="Shape">How its values are sent, as JSON for machines (docs/internals/shapes.md).</param>
internal abstract record AwakeableType(uint Id, string Name, string Shape);
