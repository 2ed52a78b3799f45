namespace Ambrosia.CodeGen.Model;

/// <summary>One type of a union.</summary>
/// <param name="Tag">What stands for it on the wire.</param>
/// <param name="Type">The type as C#.</param>
/// <param name="Formatter">Its formatter as C#.</param>
public sealed record UnionCase(int Tag, string Type, string Formatter);
