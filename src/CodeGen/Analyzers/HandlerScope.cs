using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>
/// Gathers the findings in one immortal's members and, at the end, drops those in code that runs outside of turns: BecomingPrimary, and
/// private members that only it uses.
/// </summary>
internal sealed class HandlerScope(INamedTypeSymbol type)
{
    private readonly ConcurrentBag<(ISymbol Member, Diagnostic Finding, bool CountsInQueries)> _findings = [];
    private readonly ConcurrentBag<(ISymbol Member, ISymbol Used, Diagnostic Finding)> _unsaved = [];
    private readonly ConcurrentBag<(ISymbol From, ISymbol To)> _uses = [];

    /// <summary>Adds a finding in a member.</summary>
    /// <param name="member">The member.</param>
    /// <param name="finding">What is wrong.</param>
    /// <param name="countsInQueries">False for what does no harm in code that only queries run: it changes nothing, and is never executed
    /// again.</param>
    public void Add(ISymbol member, Diagnostic finding, bool countsInQueries = true) =>
        _findings.Add((Owner(member), finding, countsInQueries));

    /// <summary>Adds a use of what is not saved; it counts unless OnRestore brings the value back.</summary>
    public void AddUnsaved(ISymbol member, ISymbol used, Diagnostic finding) => _unsaved.Add((Owner(member), used, finding));

    public void AddUse(ISymbol from, ISymbol to)
    {
        if (SymbolEqualityComparer.Default.Equals(to.ContainingType, type))
        {
            _uses.Add((Owner(from), Owner(to.OriginalDefinition)));
        }
    }

    /// <summary>The findings that concern handlers, in the order of the source; of several about the same on one line the first.</summary>
    public IEnumerable<Diagnostic> Findings()
    {
        ILookup<ISymbol, ISymbol> uses = _uses.ToLookup(static u => u.From, static u => u.To, SymbolEqualityComparer.Default);
        Func<ISymbol, bool> isOfTurns = Inside(uses, IsOutside);
        Func<ISymbol, bool> isOfHandlers = Inside(uses, static member => IsOutside(member) || ImmortalTypes.IsQuery(member));
        HashSet<ISymbol> restored = Reach(uses, type.GetMembers("OnRestore"));
        HashSet<ISymbol> saving = Reach(uses, type.GetMembers("OnSave").Concat(type.GetMembers("OnRestore")));
        return _findings.Where(f => f.CountsInQueries ? isOfTurns(f.Member) : isOfHandlers(f.Member)).Select(static f => f.Finding)
            .Concat(_unsaved.Where(f => !restored.Contains(f.Used) && !saving.Contains(f.Member) && isOfHandlers(f.Member))
                .Select(static f => f.Finding))
            .OrderBy(static d => d.Location.SourceTree?.FilePath, StringComparer.Ordinal).ThenBy(static d => d.Location.SourceSpan.Start)
            .GroupBy(static d => (d.GetMessage(), d.Location.GetLineSpan().Path, d.Location.GetLineSpan().StartLinePosition.Line))
                .Select(static g => g.First());
    }

    // Members that only the given ones use, and private ones that nothing else uses, are outside as well.
    private Func<ISymbol, bool> Inside(ILookup<ISymbol, ISymbol> uses, Func<ISymbol, bool> isOutside)
    {
        HashSet<ISymbol> outside = Reach(uses, type.GetMembers().Where(isOutside));
        HashSet<ISymbol> inside = Reach(uses, type.GetMembers().Select(Owner)
            .Where(m => !isOutside(m) && (!IsPrivate(m) || !outside.Contains(m))));
        return member => inside.Contains(member) || !outside.Contains(member);
    }

    // What is not saved is not made by handlers either: its initializer prepares what BecomingPrimary uses.
    private static bool IsOutside(ISymbol member) =>
        member is IMethodSymbol { Name: "BecomingPrimary", IsOverride: true } or IMethodSymbol { Name: "Main", IsStatic: true }
        || member is IFieldSymbol field && !field.IsStatic && !Savability.IsState(field)
        || member is IPropertySymbol property && ImmortalTypes.IsNotSaved(property);

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
