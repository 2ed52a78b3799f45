using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>One thing that code executed in a turn may not do.</summary>
/// <param name="Rule">The rule that it breaks.</param>
/// <param name="Subject">What does it, as the message names it: <c>DateTime.UtcNow</c>.</param>
/// <param name="Advice">What to do instead; empty where the rule's text says it.</param>
/// <param name="At">Where it stands.</param>
internal sealed record Offence(DiagnosticDescriptor Rule, string Subject, string Advice, Location At)
{
    /// <summary>Whether only the immortal's own lines count: what is harmless in code that others use as well.</summary>
    public bool OnlyInOwnLines { get; init; }

    /// <summary>The finding where the offence stands in the immortal itself.</summary>
    public Diagnostic ToDiagnostic() => Diagnostic.Create(Rule, At, Subject, Advice);
}
