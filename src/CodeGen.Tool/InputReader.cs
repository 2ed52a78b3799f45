using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Ambrosia.CodeGen.Tool;

/// <summary>Reads what the user names: a project, assemblies, or source files.</summary>
internal static class InputReader
{
    private const string ImplicitUsings = """
        global using System;
        global using System.Collections.Generic;
        global using System.Threading.Tasks;
        global using Ambrosia;
        """;

    private static readonly CSharpCompilationOptions s_options =
        new(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable, allowUnsafe: true);

    /// <summary>Reads the inputs: one project, one assembly, or any number of source files.</summary>
    /// <exception cref="InputException">An input is missing or of no known kind.</exception>
    public static async Task<Input> ReadAsync(IReadOnlyList<string> paths, CancellationToken cancel)
    {
        foreach (string path in paths)
        {
            if (!File.Exists(path))
            {
                throw new InputException($"There is no file {path}.");
            }
        }

        string[] kinds = [.. paths.Select(static p => Path.GetExtension(p).ToUpperInvariant()).Distinct()];
        return kinds switch
        {
            [".CSPROJ"] when paths.Count == 1 => await ReadProjectAsync(paths[0], cancel),
            [".DLL"] when paths.Count == 1 => ReadAssembly(paths[0]),
            [".CS"] => await ReadSourcesAsync(paths, PlatformReferences(), [], ImplicitUsings, cancel),
            _ => throw new InputException("Name one project (.csproj), one assembly (.dll), or source files (.cs)."),
        };
    }

    private static async Task<Input> ReadProjectAsync(string path, CancellationToken cancel)
    {
        ProjectItems items = await ProjectReader.ReadAsync(path, cancel);
        return await ReadSourcesAsync(
            items.Sources, items.References.Select(static r => MetadataReference.CreateFromFile(r)), items.Symbols, implicitUsings: null,
            cancel);
    }

    private static Input ReadAssembly(string path)
    {
        string full = Path.GetFullPath(path);
        MetadataReference assembly = MetadataReference.CreateFromFile(full);
        HashSet<string> neighbours = [.. Directory.EnumerateFiles(Path.GetDirectoryName(full)!, "*.dll").Where(p => p != full)];
        HashSet<string> names = [.. neighbours.Append(full).Select(static p => Path.GetFileName(p))];
        CSharpCompilation compilation = CSharpCompilation.Create(
            "ambrosia-codegen", syntaxTrees: null,
            [assembly, .. neighbours.Where(IsManaged).Select(static p => MetadataReference.CreateFromFile(p)),
                .. PlatformReferences(names)], s_options);
        return compilation.GetAssemblyOrModuleSymbol(assembly) is IAssemblySymbol symbol
            ? new Input(compilation, symbol)
            : throw new InputException($"{path} is not a .NET assembly.");
    }

    private static async Task<Input> ReadSourcesAsync(
        IReadOnlyList<string> paths, IEnumerable<MetadataReference> references, IReadOnlyList<string> symbols, string? implicitUsings,
        CancellationToken cancel)
    {
        CSharpParseOptions parse = new(LanguageVersion.Latest, preprocessorSymbols: symbols);
        List<SyntaxTree> trees = implicitUsings is null ? []
            : [CSharpSyntaxTree.ParseText(implicitUsings, parse, cancellationToken: cancel)];
        foreach (string path in paths)
        {
            trees.Add(CSharpSyntaxTree.ParseText(await File.ReadAllTextAsync(path, cancel), parse, path, cancellationToken: cancel));
        }

        CSharpCompilation compilation = CSharpCompilation.Create("ambrosia-codegen", trees, references, s_options);
        return new Input(compilation, compilation.Assembly);
    }

    /// <summary>The runtime's assemblies and the binding, as this tool runs on them, but for those of the given names.</summary>
    private static IEnumerable<MetadataReference> PlatformReferences(HashSet<string>? except = null) =>
        ((string?)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES") ?? "")
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Where(p => except is null || !except.Contains(Path.GetFileName(p)))
        .Select(static p => MetadataReference.CreateFromFile(p));

    private static bool IsManaged(string path)
    {
        using FileStream stream = File.OpenRead(path);
        using System.Reflection.PortableExecutable.PEReader reader = new(stream);
        try
        {
            return reader.HasMetadata;
        }
        catch (BadImageFormatException)
        {
            return false;
        }
    }
}
