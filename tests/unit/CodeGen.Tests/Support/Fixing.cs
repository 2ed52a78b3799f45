using System.Collections.Immutable;
using Ambrosia.CodeGen.Analyzers;
using Ambrosia.CodeGen.Fixes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Testing;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Testing;

namespace Ambrosia.CodeGen.Tests.Support;

/// <summary>
/// What an editor offers for findings that are marked in the source, <c>{|AMB101:DateTime.Now|}</c>, compared with the whole source
/// afterwards: for one finding, and for all of a document, a project and a solution at once. The generator runs first, as in an editor.
/// </summary>
internal sealed class Fixing : CSharpCodeFixTest<HandlerAnalyzer, MemberFix, DefaultVerifier>
{
    private Fixing(string source, string mended, string? title)
    {
        TestCode = source;
        FixedCode = mended;
        CodeActionEquivalenceKey = title;
        CodeActionValidationMode = CodeActionValidationMode.None;
        TestBehaviors |= TestBehaviors.SkipGeneratedCodeCheck;
        SolutionTransforms.Add(static (solution, project) => solution.AddAnalyzerReference(project, new GeneratorReference()));
        ReferenceAssemblies = new ReferenceAssemblies("none");
        TestState.AdditionalReferences.AddRange(Generation.References);
        TestState.Sources.Add(("Usings.cs", Generation.Usings));
        FixedState.Sources.Add(("Usings.cs", Generation.Usings));
    }

    /// <summary>Applies what has this title, to one finding and to all of them.</summary>
    public static Task MendsAsync(string source, string title, string mended) => new Fixing(source, mended, title).RunAsync();

    /// <summary>Nothing is offered for what is found.</summary>
    public static Task OffersNothingAsync(string source) => new Fixing(source, source, title: null).RunAsync();

    /// <inheritdoc/>
    protected override IEnumerable<DiagnosticAnalyzer> GetDiagnosticAnalyzers() =>
        [new HandlerAnalyzer(), new AwaitAnalyzer(), new StateAnalyzer()];

    /// <inheritdoc/>
    protected override IEnumerable<CodeFixProvider> GetCodeFixProviders() =>
        [new MemberFix(), new LockFix(), new FieldFix(), new CallFix(), new ConsoleFix()];

    /// <inheritdoc/>
    protected override ParseOptions CreateParseOptions() => new CSharpParseOptions(LanguageVersion.CSharp12);

    /// <inheritdoc/>
    protected override CompilationOptions CreateCompilationOptions() => Generation.Options;

    // A generator that the library runs itself is not seen by the fixes: it belongs to the project, as in an editor.
    private sealed class GeneratorReference : AnalyzerReference
    {
        private static readonly ISourceGenerator s_generator = new ImmortalGenerator().AsSourceGenerator();

        public override string? FullPath => null;

        public override object Id => nameof(ImmortalGenerator);

        public override ImmutableArray<DiagnosticAnalyzer> GetAnalyzers(string language) => [];

        public override ImmutableArray<DiagnosticAnalyzer> GetAnalyzersForAllLanguages() => [];

        public override ImmutableArray<ISourceGenerator> GetGenerators(string language) => [s_generator];
    }
}
