using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Why a member of the libraries may not be used in a turn, and what to use instead.</summary>
/// <param name="Rule">The rule that its use breaks.</param>
/// <param name="Advice">What to use instead.</param>
internal sealed record ForbiddenMember(DiagnosticDescriptor Rule, string Advice)
{
    /// <summary>True if it may be told something: a statement that drops what it gives reads nothing.</summary>
    public bool MayBeTold { get; init; }
}
