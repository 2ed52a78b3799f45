using Ambrosia.CodeGen.Tests.Support;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Ambrosia.CodeGen.Tests;

/// <summary>Every key press runs the generator: what did not change must not be generated anew.</summary>
public sealed class IncrementalTests
{
    private const string Interface = """
        [ImmortalInterface] public interface IShop { void Sell(Item item); }
        public record Item(string Name);
        """;

    [Fact]
    public void An_edit_elsewhere_generates_nothing_anew()
    {
        GeneratorDriver driver = Run(out CSharpCompilation compilation, Interface, "public class Other { public int A; }");
        SyntaxTree old = compilation.SyntaxTrees.Last();
        CSharpCompilation edited = compilation.ReplaceSyntaxTree(
            old, CSharpSyntaxTree.ParseText("public class Other { public int A, B; }", (CSharpParseOptions)old.Options, old.FilePath));

        GeneratorRunResult result = driver.RunGenerators(edited).GetRunResult().Results.Single();

        Assert.All(Reasons(result, ImmortalGenerator.InterfacesStep), AssertReused);
        Assert.All(Reasons(result, ImmortalGenerator.FormattersStep), AssertReused);
        IncrementalStepRunReason[] outputs = [.. result.TrackedOutputSteps.SelectMany(static s => s.Value).SelectMany(static s => s.Outputs)
            .Select(static o => o.Reason)];
        // Interface, formatter, the contract, of which nothing is written here, and awakeables, of which there are none.
        Assert.Equal(4, outputs.Length);
        Assert.All(outputs, static r => Assert.Equal(IncrementalStepRunReason.Cached, r));
    }

    [Fact]
    public void An_edit_of_the_interface_generates_it_anew()
    {
        GeneratorDriver driver = Run(out CSharpCompilation compilation, Interface);
        SyntaxTree old = compilation.SyntaxTrees.Last();
        CSharpCompilation edited = compilation.ReplaceSyntaxTree(
            old, CSharpSyntaxTree.ParseText(Interface.Replace("Sell", "Buy", StringComparison.Ordinal), (CSharpParseOptions)old.Options,
                old.FilePath));

        GeneratorRunResult result = driver.RunGenerators(edited).GetRunResult().Results.Single();

        Assert.Contains(IncrementalStepRunReason.Modified, Reasons(result, ImmortalGenerator.InterfacesStep));
        Assert.All(Reasons(result, ImmortalGenerator.FormattersStep), AssertReused); // The type did not change.
        Assert.Contains("BuyAsync", result.GeneratedSources[0].SourceText.ToString(), StringComparison.Ordinal);
    }

    private static void AssertReused(IncrementalStepRunReason reason) =>
        Assert.True(reason is IncrementalStepRunReason.Cached or IncrementalStepRunReason.Unchanged, reason.ToString());

    private static IncrementalStepRunReason[] Reasons(GeneratorRunResult result, string step)
    {
        IncrementalStepRunReason[] reasons = [.. result.TrackedSteps[step].SelectMany(static s => s.Outputs).Select(static o => o.Reason)];
        Assert.NotEmpty(reasons);
        return reasons;
    }

    private static GeneratorDriver Run(out CSharpCompilation compilation, params string[] sources)
    {
        compilation = Generation.Compile(sources);
        return CSharpGeneratorDriver
            .Create([new ImmortalGenerator().AsSourceGenerator()],
                driverOptions: new GeneratorDriverOptions(default, trackIncrementalGeneratorSteps: true))
            .WithUpdatedParseOptions(new CSharpParseOptions(LanguageVersion.CSharp12))
            .RunGenerators(compilation);
    }
}
