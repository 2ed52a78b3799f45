using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>What one member does by itself, and which members of the same compilation it uses.</summary>
/// <param name="Offences">What it does that turns may not, in the order of the source.</param>
/// <param name="Uses">What it calls, each once.</param>
internal sealed record HelperSummary(IReadOnlyList<Offence> Offences, IReadOnlyList<ISymbol> Uses)
{
    /// <summary>Nothing of interest.</summary>
    public static HelperSummary Empty { get; } = new([], []);
}
