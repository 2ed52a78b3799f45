namespace Ambrosia.CodeGen.Model;

/// <summary>A type of which there are awakeables.</summary>
/// <param name="Type">The type as C#.</param>
/// <param name="Formatter">The formatter as C#.</param>
/// <param name="Id">What stands for it in the ids of awakeables.</param>
/// <param name="Name">Its name on the wire.</param>
/// <param name="Shape">How its values are sent, as JSON.</param>
/// <param name="TakesNull">Whether it is a reference that is declared as nullable.</param>
public sealed record AwakeableModel(string Type, string Formatter, int Id, string Name, string Shape, bool TakesNull);
