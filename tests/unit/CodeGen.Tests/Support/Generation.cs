using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Ambrosia.CodeGen.Tests.Support;

/// <summary>Runs the generator over source text, as the compiler would.</summary>
internal static class Generation
{
    /// <summary>What a project of a user has in all its files.</summary>
    public const string Usings = """
        global using System;
        global using System.Collections.Generic;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        global using Ambrosia;
        """;

    /// <summary>The runtime and the binding.</summary>
    public static ImmutableArray<MetadataReference> References { get; } = FindReferences();

    /// <summary>As a user's project has them.</summary>
    public static CSharpCompilationOptions Options { get; } = new(
        OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable, allowUnsafe: true,
        // The binding was built for an older runtime than the tests run on, which builds of users do not see either.
        specificDiagnosticOptions: [new("CS1701", ReportDiagnostic.Suppress)]);

    /// <summary>A compilation of the sources against the runtime and the binding.</summary>
    public static CSharpCompilation Compile(params string[] sources)
    {
        CSharpParseOptions parse = new(LanguageVersion.CSharp12);
        return CSharpCompilation.Create(
            "Sample",
            sources.Prepend(Usings).Select((text, i) => CSharpSyntaxTree.ParseText(text, parse, $"File{i}.cs")),
            References,
            Options);
    }

    /// <summary>What the generator says and writes.</summary>
    public static (GeneratorDriverRunResult Result, Compilation Output) Run(params string[] sources)
    {
        CSharpCompilation compilation = Compile(sources);
        GeneratorDriver driver = CSharpGeneratorDriver
            .Create(new ImmortalGenerator())
            .WithUpdatedParseOptions(new CSharpParseOptions(LanguageVersion.CSharp12))
            .RunGeneratorsAndUpdateCompilation(compilation, out Compilation output, out _);
        return (driver.GetRunResult(), output);
    }

    /// <summary>The contract that the generator hands to the build; null if none.</summary>
    public static string? Contract(string source, string? present, params (string Key, string Value)[] properties)
    {
        GeneratorDriver driver = CSharpGeneratorDriver.Create(new ImmortalGenerator())
            .WithUpdatedParseOptions(new CSharpParseOptions(LanguageVersion.CSharp12))
            .WithUpdatedAnalyzerConfigOptions(new Properties(properties));
        driver = present is null ? driver : driver.AddAdditionalTexts([new TextFile("/app/ImmortalContracts.txt", present)]);
        return driver.RunGenerators(Compile(source)).GetRunResult().Results.Single().GeneratedSources
            .Where(static s => s.HintName == "ImmortalContracts.g.cs").Select(static s => s.SourceText.ToString()).SingleOrDefault();
    }

    private static ImmutableArray<MetadataReference> FindReferences()
    {
        string platform = (string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!;
        return [.. platform.Split(Path.PathSeparator)
            .Where(path => Path.GetFileName(path) is { } name
                && (name.StartsWith("System.", StringComparison.Ordinal)
                    || name is "netstandard.dll" or "mscorlib.dll" or "Ambrosia.CSharpBinding.dll"
                    or "Microsoft.Extensions.Logging.Abstractions.dll" or "Ambrosia.Protocol.dll" or "MessagePack.dll"
                    or "MessagePack.Annotations.dll"))
            .Select(path => MetadataReference.CreateFromFile(path))];
    }
}
