using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>
/// Gathers the findings in one immortal's members and, at the end, drops those in code that runs outside of turns: BecomingPrimary, and
/// private members that only it uses.
/// </summary>
internal sealed class HandlerScope(INamedTypeSymbol type)
{
    private readonly ConcurrentBag<(ISymbol Member, Diagnostic Finding)> _findings = [];
    private readonly ConcurrentBag<(ISymbol From, ISymbol To)> _uses = [];

    public void Add(ISymbol member, Diagnostic finding) => _findings.Add((Owner(member), finding));

    public void AddUse(ISymbol from, ISymbol to)
    {
        if (SymbolEqualityComparer.Default.Equals(to.ContainingType, type))
        {
            _uses.Add((Owner(from), Owner(to.OriginalDefinition)));
        }
    }

    /// <summary>The findings that concern handlers, in the order of the source.</summary>
    public IEnumerable<Diagnostic> Findings()
    {
        ILookup<ISymbol, ISymbol> uses = _uses.ToLookup(static u => u.From, static u => u.To, SymbolEqualityComparer.Default);
        HashSet<ISymbol> outside = Reach(uses, type.GetMembers().Where(IsOutside));
        HashSet<ISymbol> inside = Reach(uses, type.GetMembers().Select(Owner).Where(m => !IsOutside(m) && (!IsPrivate(m) || !outside.Contains(m))));
        return _findings.Where(f => inside.Contains(f.Member) || !outside.Contains(f.Member)).Select(static f => f.Finding)
            .OrderBy(static d => d.Location.SourceTree?.FilePath, StringComparer.Ordinal).ThenBy(static d => d.Location.SourceSpan.Start);
    }

    // What is not saved is not made by handlers either: its initializer prepares what BecomingPrimary uses.
    private static bool IsOutside(ISymbol member) =>
        member is IMethodSymbol { Name: "BecomingPrimary", IsOverride: true } or IMethodSymbol { Name: "Main", IsStatic: true }
        || member is IFieldSymbol field && !field.IsStatic && !Savability.IsState(field)
        || member is IPropertySymbol property && property.GetAttributes().Any(static a => a.AttributeClass?.ToDisplayString() == "Ambrosia.NotSavedAttribute");

    private static bool IsPrivate(ISymbol member) => member.DeclaredAccessibility == Accessibility.Private;

    private static ISymbol Owner(ISymbol member) => member is IMethodSymbol { AssociatedSymbol: { } property } ? property : member;

    private static HashSet<ISymbol> Reach(ILookup<ISymbol, ISymbol> uses, IEnumerable<ISymbol> from)
    {
        HashSet<ISymbol> reached = new(SymbolEqualityComparer.Default);
        Stack<ISymbol> open = new(from);
        while (open.Count > 0)
        {
            ISymbol member = open.Pop();
            if (reached.Add(member))
            {
                foreach (ISymbol next in uses[member])
                {
                    open.Push(next);
                }
            }
        }

        return reached;
    }
}
