using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>
/// Follows what an immortal calls into other classes of the same compilation, and reports at the call what it comes to there: the helper
/// may be right for others.
/// </summary>
internal static class HelperTrail
{
    /// <summary>How many calls are followed. Deeper ones belong to code that is hardly written for the handler alone.</summary>
    private const int MostLevels = 2;

    /// <summary>What the operation comes to in the helpers that it runs; of each rule the nearest.</summary>
    public static IEnumerable<Diagnostic> Findings(IOperation operation, HelperFacts facts, CancellationToken cancel)
    {
        // A method that goes on after its return is refused as such.
        if (HelperReader.Used(operation) is not { } called || !facts.IsFollowed(called)
            || (called is IMethodSymbol method && Offences.StartsWork(method)))
        {
            return [];
        }

        return Walk(called, facts, cancel).GroupBy(static found => found.Offence.Rule.Id).Select(static same => same.First())
            .Select(found => ToDiagnostic(found.Path, found.Offence, operation.Syntax.GetLocation()));
    }

    private static IEnumerable<(ISymbol[] Path, Offence Offence)> Walk(ISymbol called, HelperFacts facts, CancellationToken cancel)
    {
        List<ISymbol[]> level = [[called]];
        HashSet<ISymbol> seen = new(SymbolEqualityComparer.Default) { called };
        for (int depth = 1; depth <= MostLevels; depth++)
        {
            List<ISymbol[]> next = [];
            foreach (ISymbol[] path in level)
            {
                HelperSummary summary = facts.SummaryOf(path[path.Length - 1], cancel);
                foreach (Offence offence in summary.Offences.Where(o => !IsAccepted(path, o.Rule)))
                {
                    yield return (path, offence);
                }

                next.AddRange(summary.Uses.Where(seen.Add).Select(use => path.Append(use).ToArray()));
            }

            level = next;
        }
    }

    // [SuppressMessage] at a helper says once, for all its callers, that somebody judged it right.
    private static bool IsAccepted(ISymbol[] path, DiagnosticDescriptor rule) =>
        path.Any(member => IsAccepted(member, rule) || IsAccepted(member.ContainingType, rule));

    private static bool IsAccepted(ISymbol symbol, DiagnosticDescriptor rule) => symbol.GetAttributes().Any(a =>
        a.AttributeClass?.Name == "SuppressMessageAttribute" && a.ConstructorArguments.Length == 2
        && a.ConstructorArguments[1].Value is string id && id.Split(':')[0].Trim() == rule.Id);

    private static Diagnostic ToDiagnostic(ISymbol[] path, Offence offence, Location call)
    {
        FileLinePositionSpan place = offence.At.GetLineSpan();
        string file = place.Path.Substring(place.Path.LastIndexOfAny(['/', '\\']) + 1);
        string way = string.Join(" → ", path.Select(ImmortalTypes.Label));
        string subject = $"{offence.Subject} (through {way}, {file} line {place.StartLinePosition.Line + 1})";
        bool isValue = ReferenceEquals(offence.Rule, HandlerRules.NonDeterministic)
            && offence.Advice.StartsWith("use ", StringComparison.Ordinal);
        return Diagnostic.Create(
            offence.Rule, call, additionalLocations: [offence.At], subject, isValue
                ? offence.Advice + " in the handler, and pass the value on" : offence.Advice);
    }
}
