using System.Collections.Immutable;
using Ambrosia.CodeGen.Analyzers;
using Ambrosia.CodeGen.Fixes;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ambrosia.CodeGen.Tests.Support;

/// <summary>Applies what an editor would offer for the first finding of a rule.</summary>
internal static class Fixing
{
    private static readonly CodeFixProvider[] s_fixes = [new MemberFix(), new LockFix(), new FieldFix(), new CallFix(), new ConsoleFix()];

    /// <summary>The titles of what is offered, each with the text that it makes of the source, which compiles.</summary>
    public static async Task<Dictionary<string, string>> OffersAsync(string source, string rule)
    {
        (_, Compilation generated) = Generation.Run(source);
        using AdhocWorkspace workspace = new();
        Project project = workspace.AddProject("Sample", LanguageNames.CSharp)
            .WithMetadataReferences(generated.References)
            .WithParseOptions(generated.SyntaxTrees.First().Options)
            .WithCompilationOptions(generated.Options);
        int number = 0;
        DocumentId edited = DocumentId.CreateNewId(project.Id);
        foreach (SyntaxTree tree in generated.SyntaxTrees)
        {
            Document added = project.AddDocument($"{number}.cs", await tree.GetTextAsync());
            edited = number++ == 1 ? added.Id : edited;
            project = added.Project;
        }

        Document document = project.GetDocument(edited)!;
        Diagnostic finding = (await FindingsAsync(project)).First(d => d.Id == rule);
        Dictionary<string, string> offers = [];
        foreach (CodeFixProvider fix in s_fixes.Where(f => f.FixableDiagnosticIds.Contains(rule)))
        {
            List<CodeAction> actions = [];
            await fix.RegisterCodeFixesAsync(new CodeFixContext(document, finding, (action, _) => actions.Add(action), CancellationToken.None));
            foreach (CodeAction action in actions)
            {
                ImmutableArray<CodeActionOperation> operations = await action.GetOperationsAsync(CancellationToken.None);
                Document changed = operations.OfType<ApplyChangesOperation>().Single().ChangedSolution.GetDocument(edited)!;
                Compilation compiled = (await changed.Project.GetCompilationAsync())!;
                Assert.Empty(compiled.GetDiagnostics().Where(static d => d.Severity == DiagnosticSeverity.Error));
                offers.Add(action.Title, (await changed.GetTextAsync()).ToString());
            }
        }

        return offers;
    }

    private static async Task<ImmutableArray<Diagnostic>> FindingsAsync(Project project) =>
        [.. (await (await project.GetCompilationAsync())!.WithAnalyzers([new HandlerAnalyzer(), new AwaitAnalyzer(), new StateAnalyzer()]).GetAnalyzerDiagnosticsAsync())
            .OrderBy(static d => d.Location.SourceSpan.Start)];
}
