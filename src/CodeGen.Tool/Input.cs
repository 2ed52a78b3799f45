using Ambrosia.CodeGen.Extract;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Tool;

/// <summary>Code that was read, and the assembly in it whose interfaces are meant.</summary>
/// <param name="Compilation">The code with what it refers to.</param>
/// <param name="Assembly">The assembly whose interfaces are meant.</param>
internal sealed record Input(Compilation Compilation, IAssemblySymbol Assembly)
{
    /// <summary>What its immortal interfaces give, in the order of their names.</summary>
    public IReadOnlyList<ExtractionResult> Extract(CancellationToken cancel) =>
        [.. Types(Assembly.GlobalNamespace)
            .Where(static t => t.TypeKind == TypeKind.Interface && t.GetAttributes().Any(static a =>
                a.AttributeClass?.ToDisplayString() == InterfaceExtractor.AttributeName))
            .OrderBy(static t => t.ToDisplayString(), StringComparer.Ordinal)
            // A project that keeps the files has their types already.
            .Select(t => InterfaceExtractor.Extract(t, Compilation, cancel, namesAreChecked: false))];

    private static IEnumerable<INamedTypeSymbol> Types(INamespaceOrTypeSymbol container) =>
        container.GetMembers().SelectMany(static member => member switch
    {
        INamespaceSymbol space => Types(space),
        INamedTypeSymbol type => Types(type).Prepend(type),
        _ => [],
    });
}
