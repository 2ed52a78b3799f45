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
        ContractRules.MethodGone, ContractRules.IdChanged, ContractRules.ResultChanged, ContractRules.MethodNotListed, ContractRules.BadLine);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.RegisterCompilationStartAction(static start =>
        {
            if (start.Options.AdditionalFiles.FirstOrDefault(IsContract) is not { } file)
            {
                return;
            }

            ConcurrentBag<(InterfaceModel Model, Location At)> interfaces = [];
            start.RegisterSymbolAction(c => Gather(c, interfaces), SymbolKind.NamedType);
            start.RegisterCompilationEndAction(c => Check(c, file, interfaces));
        });
    }

    private static bool IsContract(AdditionalText file)
    {
        string path = file.Path.Replace('\\', '/');
        return path == ContractFile.Name || path.EndsWith("/" + ContractFile.Name, StringComparison.Ordinal);
    }

    private static void Gather(SymbolAnalysisContext context, ConcurrentBag<(InterfaceModel Model, Location At)> interfaces)
    {
        INamedTypeSymbol type = (INamedTypeSymbol)context.Symbol;
        bool isMarked = type.TypeKind == TypeKind.Interface
            && type.GetAttributes().Any(static a => a.AttributeClass?.ToDisplayString() == InterfaceExtractor.AttributeName);
        if (isMarked && InterfaceExtractor.Extract(type, context.Compilation, context.CancellationToken, namesAreChecked: false).Interface is { } model)
        {
            interfaces.Add((model, type.Locations[0]));
        }
    }

    private static void Check(
        CompilationAnalysisContext context, AdditionalText file, ConcurrentBag<(InterfaceModel Model, Location At)> interfaces)
    {
        if (file.GetText(context.CancellationToken) is not { } text)
        {
            return;
        }

        (InterfaceModel Model, Location At)[] sorted = [.. interfaces.OrderBy(static i => i.Model.FullName, StringComparer.Ordinal)];
        string[] lines = [.. text.Lines.Select(static l => l.ToString())];
        foreach ((DiagnosticDescriptor rule, string[] arguments, int number, MethodModel? method) in ContractCheck.Compare(lines, [.. sorted.Select(static i => i.Model)]))
        {
            Location at = method is null ? LineAt(file, text, number) : sorted.First(i => i.Model.Methods.Contains(method)).At;
            context.ReportDiagnostic(Diagnostic.Create(rule, at, arguments));
        }
    }

    private static Location LineAt(AdditionalText file, SourceText text, int number)
    {
        TextSpan span = text.Lines[number].Span;
        return Location.Create(file.Path, span, text.Lines.GetLinePositionSpan(span));
    }
}
