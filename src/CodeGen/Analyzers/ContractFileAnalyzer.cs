using System.Collections.Concurrent;
using System.Collections.Immutable;
using Ambrosia.CodeGen.Diagnostics;
using Ambrosia.CodeGen.Extract;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Compares the interfaces with the contract file, if the project has one: the wire changes on purpose or not at all.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class ContractFileAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(
        ContractRules.MethodGone, ContractRules.IdChanged, ContractRules.ResultChanged, ContractRules.MethodNotListed,
        ContractRules.BadLine, ContractRules.ParametersChanged);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.RegisterCompilationStartAction(static start =>
        {
            if (start.Options.AdditionalFiles.FirstOrDefault(static f => ContractFile.IsContract(f.Path)) is not { } file)
            {
                return;
            }

            ConcurrentBag<(InterfaceModel Model, INamedTypeSymbol Type)> interfaces = [];
            start.RegisterSymbolAction(c => Gather(c, interfaces), SymbolKind.NamedType);
            start.RegisterCompilationEndAction(c => Check(c, file, interfaces));
        });
    }

    private static void Gather(SymbolAnalysisContext context, ConcurrentBag<(InterfaceModel Model, INamedTypeSymbol Type)> interfaces)
    {
        INamedTypeSymbol type = (INamedTypeSymbol)context.Symbol;
        bool isMarked = type.TypeKind == TypeKind.Interface
            && type.GetAttributes().Any(static a => a.AttributeClass?.ToDisplayString() == InterfaceExtractor.AttributeName);
        if (isMarked && InterfaceExtractor.Extract(type, context.Compilation, context.CancellationToken,
            namesAreChecked: false).Interface is { } model)
        {
            interfaces.Add((model, type));
        }
    }

    private static void Check(
        CompilationAnalysisContext context, AdditionalText file, ConcurrentBag<(InterfaceModel Model, INamedTypeSymbol Type)> interfaces)
    {
        if (file.GetText(context.CancellationToken) is not { } text)
        {
            return;
        }

        bool isWritten = ContractWriter.IsOn(context.Options.AnalyzerConfigOptionsProvider.GlobalOptions);
        (InterfaceModel Model, INamedTypeSymbol Type)[] sorted = [.. interfaces.OrderBy(static i => i.Model.FullName,
            StringComparer.Ordinal)];
        string[] lines = [.. text.Lines.Select(static l => l.ToString())];
        foreach ((DiagnosticDescriptor rule, string[] arguments, int number, MethodModel? method) in
            ContractCheck.Compare(lines, [.. sorted.Select(static i => i.Model)]))
        {
            if (method is not null && isWritten)
            {
                continue; // The build adds the line when it has compiled.
            }

            Location at = method is null ? LineAt(file, text, number)
                : MethodAt(sorted.First(i => i.Model.Methods.Contains(method)).Type, method);
            context.ReportDiagnostic(Diagnostic.Create(rule, at, arguments));
        }
    }

    private static Location MethodAt(INamedTypeSymbol type, MethodModel method) =>
        new[] { type }.Concat(type.AllInterfaces).SelectMany(static t => t.GetMembers()).OfType<IMethodSymbol>()
            .FirstOrDefault(m => TypeText.Signature(m) == method.Signature)?.Locations.FirstOrDefault(static l => l.IsInSource)
                ?? type.Locations[0];

    private static Location LineAt(AdditionalText file, SourceText text, int number)
    {
        TextSpan span = text.Lines[number].Span;
        return Location.Create(file.Path, span, text.Lines.GetLinePositionSpan(span));
    }
}
