using System.Collections.Concurrent;
using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>
/// What is known about members that handlers use. One object per compilation: a member is looked at when the first handler reaches it, and
/// then remembered.
/// </summary>
internal sealed class HelperFacts(Compilation compilation)
{
    private readonly ConcurrentDictionary<ISymbol, HelperSummary> _summaries = new(SymbolEqualityComparer.Default);
    private readonly ConcurrentDictionary<SyntaxTree, SemanticModel> _models = new();
    private readonly ConcurrentDictionary<ISymbol, ForbiddenMember?> _forbidden = new(SymbolEqualityComparer.Default);
    private readonly ConcurrentDictionary<INamedTypeSymbol, bool> _followed = new(SymbolEqualityComparer.Default);
    private readonly ConcurrentDictionary<ISymbol, bool> _changing = new(SymbolEqualityComparer.Default);

    /// <summary>The rule that a use of the member breaks; null if it may be used.</summary>
    public ForbiddenMember? Forbidden(ISymbol member) => _forbidden.GetOrAdd(member, static m => ForbiddenMembers.Find(m));

    /// <summary>Whether a static member holds a collection that changes while the program runs.</summary>
    public bool IsChanging(ISymbol member) => IsFollowed(member) && _changing.GetOrAdd(member, static m => StaticCollections.IsChanging(m));

    /// <summary>Whether the member has code of this compilation that handlers can be held responsible for.</summary>
    public bool IsFollowed(ISymbol member) => member.ContainingType is { } type
        && SymbolEqualityComparer.Default.Equals(member.ContainingAssembly, compilation.Assembly)
        && _followed.GetOrAdd(type, static t => !ImmortalTypes.IsImmortal(t) && !ImmortalTypes.IsProxy(t)
            && !ImmortalTypes.PerformsEffects(t));

    /// <summary>What the member does by itself.</summary>
    public HelperSummary SummaryOf(ISymbol member, CancellationToken cancel)
    {
        if (!_summaries.TryGetValue(member, out HelperSummary? summary))
        {
            summary = _summaries.GetOrAdd(member, HelperReader.Read(member, this, cancel));
        }

        return summary;
    }

    /// <summary>The semantic model of a tree of this compilation.</summary>
    public SemanticModel ModelOf(SyntaxTree tree) => _models.GetOrAdd(tree, Model);

#pragma warning disable RS1030 // Helpers are in other trees than the handler; only those that handlers reach are bound, each once.
    private SemanticModel Model(SyntaxTree tree) => compilation.GetSemanticModel(tree);
#pragma warning restore RS1030
}
