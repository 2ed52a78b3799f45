using System.Collections.Immutable;
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

    private static readonly ImmutableArray<MetadataReference> s_references =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(static path => Path.GetFileName(path).StartsWith("System.", StringComparison.Ordinal)
                || Path.GetFileName(path) is "netstandard.dll" or "Ambrosia.CSharpBinding.dll" or "Ambrosia.Protocol.dll" or "Builds.App.dll"
                    or "Microsoft.Extensions.Logging.Abstractions.dll")
            .Select(static path => MetadataReference.CreateFromFile(path)),
    ];

    /// <summary>Writes the assembly of a source text.</summary>
    public static void Build(string source, string path, OptimizationLevel optimization = OptimizationLevel.Release)
    {
        var parse = new CSharpParseOptions(LanguageVersion.CSharp12);
        CSharpCompilation compilation = CSharpCompilation.Create(
            "Shop", new[] { Usings, source }.Select((text, i) => CSharpSyntaxTree.ParseText(text, parse, $"File{i}.cs", System.Text.Encoding.UTF8)), s_references,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, optimizationLevel: optimization, nullableContextOptions: NullableContextOptions.Enable));
        CSharpGeneratorDriver.Create(new ImmortalGenerator()).WithUpdatedParseOptions(parse)
            .RunGeneratorsAndUpdateCompilation(compilation, out Compilation whole, out ImmutableArray<Diagnostic> problems);
        Assert.Empty(problems);
        EmitResult result = whole.Emit(path);
        Assert.True(result.Success, string.Join('\n', result.Diagnostics.Where(static problem => problem.Severity == DiagnosticSeverity.Error)) + source);
    }
}
