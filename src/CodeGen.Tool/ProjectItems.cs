namespace Ambrosia.CodeGen.Tool;

/// <summary>What the compiler would be given for a project.</summary>
/// <param name="Sources">Paths of the source files.</param>
/// <param name="References">Paths of the referenced assemblies.</param>
/// <param name="Symbols">Conditional compilation symbols.</param>
internal sealed record ProjectItems(IReadOnlyList<string> Sources, IReadOnlyList<string> References, IReadOnlyList<string> Symbols);
