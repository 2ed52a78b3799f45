using System.Collections.Immutable;
using System.Text;
using Ambrosia.CodeGen;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;

namespace Ambrosia.Builds.Tests.Support;

/// <summary>Builds an assembly as a user's build does: compiler and generator.</summary>
internal static class Compiler
{
    private const string Usings = """
        global using System;
        global using System.Collections.Generic;
        global using System.Linq;
        global using System.Runtime.Serialization;
        global using Ambrosia;
        global using Ambrosia.Builds.App;
        """;

    private static readonly CSharpParseOptions s_parse = new(LanguageVersion.CSharp12);

    private static readonly ImmutableArray<MetadataReference> s_references =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(static path => Path.GetFileName(path).StartsWith("System.", StringComparison.Ordinal)
                || Path.GetFileName(path) is "netstandard.dll" or "Ambrosia.CSharpBinding.dll" or "Ambrosia.Protocol.dll"
                or "Builds.App.dll"
                    or "Microsoft.Extensions.Logging.Abstractions.dll")
            .Select(static path => MetadataReference.CreateFromFile(path)),
    ];

    /// <summary>Writes the assembly of a source text, and beside it a library that it refers to.</summary>
    public static void Build(string source, string path, OptimizationLevel optimization = OptimizationLevel.Release, string library = "",
        string text = "")
    {
        string beside = Path.Combine(Path.GetDirectoryName(path)!, "Shop.Library.dll");
        MetadataReference[] libraries = [];
        if (library.Length > 0)
        {
            Emit(Compilation("Shop.Library", library, optimization, []), beside);
            libraries = [MetadataReference.CreateFromFile(beside)];
        }

        CSharpGeneratorDriver.Create(new ImmortalGenerator()).WithUpdatedParseOptions(s_parse).RunGeneratorsAndUpdateCompilation(
            Compilation("Shop", source, optimization, libraries), out Compilation whole, out ImmutableArray<Diagnostic> problems);
        Assert.Empty(problems);
        Emit(whole, path, text);
    }

    // As a build makes it of a .resx file.
    private static MemoryStream Resources(string greeting)
    {
        var stream = new MemoryStream();
        using (var writer = new System.Resources.ResourceWriter(stream))
        {
            writer.AddResource("Greeting", greeting);
            writer.Generate();
            return new MemoryStream(stream.ToArray());
        }
    }

    private static CSharpCompilation Compilation(string name, string source, OptimizationLevel optimization,
        MetadataReference[] libraries) =>
        CSharpCompilation.Create(
            name,
            new[] { Usings, source }.Select(static (text, i) => CSharpSyntaxTree.ParseText(text, s_parse, $"File{i}.cs", Encoding.UTF8)),
            [.. s_references, .. libraries],
            new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary, optimizationLevel: optimization,
                nullableContextOptions: NullableContextOptions.Enable));

    private static void Emit(Compilation compilation, string path, string text = "")
    {
        ResourceDescription[] resources = text.Length == 0 ? [] : [new("Texts.resources", () => Resources(text), isPublic: true)];
        EmitResult result = compilation.Emit(path, manifestResources: resources);
        Assert.True(result.Success,
            string.Join('\n', result.Diagnostics.Where(static problem => problem.Severity == DiagnosticSeverity.Error))
            + string.Join('\n', compilation.SyntaxTrees));
    }
}
