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
/// Generates base class, proxy and formatters for every [ImmortalInterface]. Steps are named and their results comparable, so that an edit
/// elsewhere generates nothing anew.
/// </summary>
[Generator(LanguageNames.CSharp)]
public sealed class ImmortalGenerator : IIncrementalGenerator
{
    /// <summary>The step that reads interfaces.</summary>
    public const string InterfacesStep = "ImmortalInterfaces";

    /// <summary>The step that gathers the formatters of all interfaces, each once.</summary>
    public const string FormattersStep = "Formatters";

    private static readonly Encoding s_encoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        IncrementalValuesProvider<ExtractionResult> interfaces = context.SyntaxProvider.ForAttributeWithMetadataName(
            InterfaceExtractor.AttributeName,
            static (node, _) => node is InterfaceDeclarationSyntax,
            static (found, cancel) => InterfaceExtractor.Extract((INamedTypeSymbol)found.TargetSymbol, found.SemanticModel.Compilation, cancel))
            .WithTrackingName(InterfacesStep);
        IncrementalValuesProvider<FormatterModel> formatters = interfaces
            .SelectMany(static (result, _) => result.Formatters.Items)
            .Collect()
            .SelectMany(static (all, _) => Distinct(all))
            .WithTrackingName(FormattersStep);

        context.RegisterSourceOutput(interfaces, static (output, result) => Output(output, result));
        context.RegisterSourceOutput(formatters, static (output, formatter) =>
            output.AddSource(formatter.Name + ".g.cs", SourceText.From(FormatterEmitter.Emit(formatter), s_encoding)));
    }

    private static ImmutableArray<FormatterModel> Distinct(ImmutableArray<FormatterModel> all) =>
        all.GroupBy(static f => f.Name).Select(static g => g.First()).OrderBy(static f => f.Name, StringComparer.Ordinal).ToImmutableArray();

    private static void Output(SourceProductionContext output, ExtractionResult result)
    {
        foreach (DiagnosticInfo diagnostic in result.Diagnostics)
        {
            output.ReportDiagnostic(diagnostic.ToDiagnostic());
        }

        if (result.Interface is { } model)
        {
            output.AddSource(model.FullName + ".g.cs", SourceText.From(InterfaceEmitter.Emit(model), s_encoding));
        }
    }
}
