namespace Ambrosia.CodeGen.Model;

/// <summary>A formatter for a base class or interface with a closed list of derived types.</summary>
/// <param name="Type">The base type as C#, with nullable annotations.</param>
/// <param name="Name">The formatter's name.</param>
/// <param name="Label">The type in an error text.</param>
/// <param name="Cases">The derived types in the order of their tags.</param>
public sealed record UnionModel(string Type, string Name, string Label, EquatableArray<UnionCase> Cases)
    : FormatterModel(Type, Name, Label, IsReference: true);
