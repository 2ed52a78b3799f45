using System.Collections.Immutable;
using System.Text;
using Ambrosia.CodeGen.Emit;
using Ambrosia.CodeGen.Extract;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Ambrosia.CodeGen;

/// <summary>
/// Generates base class, proxy and formatters for every [ImmortalInterface], a client where the project refers to Ambrosia.Client, and what
/// asks for the effects of every [EffectInterface], and names the types of awakeables. Steps are named and their results comparable, so
/// that an edit elsewhere generates nothing anew.
/// </summary>
[Generator(LanguageNames.CSharp)]
public sealed class ImmortalGenerator : IIncrementalGenerator
{
    /// <summary>The step that reads interfaces.</summary>
    public const string InterfacesStep = "ImmortalInterfaces";

    /// <summary>The step that reads interfaces of effects.</summary>
    public const string EffectsStep = "EffectInterfaces";

    /// <summary>The step that reads calls that make awakeables.</summary>
    public const string AwakeablesStep = "Awakeables";

    /// <summary>The step that gathers the formatters of all interfaces, each once.</summary>
    public const string FormattersStep = "Formatters";

    /// <summary>The step that writes the contract.</summary>
    public const string ContractStep = "Contract";

    private static readonly Encoding s_encoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        IncrementalValuesProvider<ExtractionResult> interfaces = context.SyntaxProvider.ForAttributeWithMetadataName(
            InterfaceExtractor.AttributeName,
            static (node, _) => node is InterfaceDeclarationSyntax,
            static (found, cancel) =>
                InterfaceExtractor.Extract((INamedTypeSymbol)found.TargetSymbol, found.SemanticModel.Compilation, cancel))
            .WithTrackingName(InterfacesStep);
        IncrementalValuesProvider<ExtractionResult> effects = context.SyntaxProvider.ForAttributeWithMetadataName(
            InterfaceExtractor.EffectAttributeName,
            static (node, _) => node is InterfaceDeclarationSyntax,
            static (found, cancel) => InterfaceExtractor.Extract(
                (INamedTypeSymbol)found.TargetSymbol, found.SemanticModel.Compilation, cancel, isEffects: true))
            .WithTrackingName(EffectsStep);
        IncrementalValuesProvider<AwakeableResult> awakeables = context.SyntaxProvider.CreateSyntaxProvider(
            static (node, _) => AwakeableExtractor.IsCandidate(node),
            static (found, cancel) => AwakeableExtractor.Extract(found.Node, found.SemanticModel, cancel))
            .SelectMany(static (result, _) => result is null ? ImmutableArray<AwakeableResult>.Empty : ImmutableArray.Create(result))
            .WithTrackingName(AwakeablesStep);
        IncrementalValuesProvider<FormatterModel> formatters = interfaces
            .SelectMany(static (result, _) => result.Formatters.Items)
            .Collect()
            .Combine(effects.SelectMany(static (result, _) => result.Formatters.Items).Collect())
            .Combine(awakeables.SelectMany(static (result, _) => result.Formatters.Items).Collect())
            .SelectMany(static (all, _) => Distinct(all.Left.Left.AddRange(all.Left.Right).AddRange(all.Right)))
            .WithTrackingName(FormattersStep);

        IncrementalValueProvider<bool> writes = context.AnalyzerConfigOptionsProvider.Select(
            static (options, _) => ContractWriter.IsOn(options.GlobalOptions));
        IncrementalValueProvider<ImmutableArray<string>> present = context.AdditionalTextsProvider
            .Where(static file => ContractFile.IsContract(file.Path))
            .Select(static (file, cancel) => file.GetText(cancel)?.ToString() ?? "")
            .Collect();
        context.RegisterSourceOutput(
            interfaces.Collect().Combine(present).Combine(writes).WithTrackingName(ContractStep),
            static (output, input) => OutputContract(output, input.Left.Left, input.Left.Right, input.Right));
        context.RegisterSourceOutput(interfaces, static (output, result) => Output(output, result));
        IncrementalValueProvider<bool> wantsClients = context.CompilationProvider.Select(
            static (compilation, _) => compilation.GetTypeByMetadataName(ClientEmitter.BaseName) is not null);
        IncrementalValuesProvider<InterfaceModel> clients = interfaces.Combine(wantsClients).SelectMany(
            static (all, _) => all is { Left.Interface: { } model, Right: true } ? ImmutableArray.Create(model)
            : ImmutableArray<InterfaceModel>.Empty);
        context.RegisterSourceOutput(clients, static (output, model) =>
            output.AddSource(model.FullName + ".Client.g.cs", SourceText.From(ClientEmitter.Emit(model), s_encoding)));
        context.RegisterSourceOutput(effects, static (output, result) => Output(output, result));
        context.RegisterSourceOutput(awakeables.Collect(), static (output, results) => OutputAwakeables(output, results));
        context.RegisterSourceOutput(formatters, static (output, formatter) =>
            output.AddSource(formatter.Name + ".g.cs", SourceText.From(FormatterEmitter.Emit(formatter), s_encoding)));
    }

    private static ImmutableArray<FormatterModel> Distinct(ImmutableArray<FormatterModel> all) =>
        all.GroupBy(static f => f.Name).Select(static g => g.First()).OrderBy(static f => f.Name, StringComparer.Ordinal)
        .ToImmutableArray();

    private static void Output(SourceProductionContext output, ExtractionResult result)
    {
        foreach (DiagnosticInfo diagnostic in result.Diagnostics)
        {
            output.ReportDiagnostic(diagnostic.ToDiagnostic());
        }

        if (result.Interface is { } model)
        {
            output.AddSource(model.FullName + ".g.cs", SourceText.From(model.IsEffects ? EffectsEmitter.Emit(model)
                : InterfaceEmitter.Emit(model), s_encoding));
        }
    }

    private static void OutputAwakeables(SourceProductionContext output, ImmutableArray<AwakeableResult> results)
    {
        foreach (DiagnosticInfo diagnostic in results.SelectMany(static result => result.Diagnostics.Items).Distinct())
        {
            output.ReportDiagnostic(diagnostic.ToDiagnostic());
        }

        AwakeableModel[] types =
        [
            .. results.Select(static result => result.Awakeable).OfType<AwakeableModel>().GroupBy(static type => type.Name)
                .Select(static same => same.OrderBy(static type => type.TakesNull).First()) // Where one takes no null, none is given.
                .OrderBy(static type => type.Name, StringComparer.Ordinal),
        ];
        if (types.Length > 0)
        {
            output.AddSource(AwakeablesEmitter.FileName, SourceText.From(AwakeablesEmitter.Emit(types), s_encoding));
        }
    }

    private static void OutputContract(
        SourceProductionContext output, ImmutableArray<ExtractionResult> interfaces, ImmutableArray<string> present, bool writes)
    {
        InterfaceModel[] models = [.. interfaces.Select(static r => r.Interface).OfType<InterfaceModel>()];
        if (!writes || models.Length == 0 || models.Length < interfaces.Length)
        {
            return; // While an interface has errors, its methods are not known.
        }

        string[] lines = present.IsEmpty ? [] : [.. SourceText.From(present[0]).Lines.Select(static l => l.ToString())];
        int count = lines.Length > 0 && lines[lines.Length - 1].Length == 0 ? lines.Length - 1 : lines.Length;
        output.AddSource(
            ContractWriter.SourceName,
            SourceText.From(ContractWriter.ToSource(ContractFile.Complete([.. lines.Take(count)], models)), s_encoding));
    }
}
