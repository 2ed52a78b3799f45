using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Ambrosia.Architecture.Tests.Symbols;

/// <summary>
/// A project of src as the compiler sees it: every file, bound against the framework and the projects below it. Types of packages stay
/// unknown, because no rule asks about them.
/// </summary>
internal sealed class SourceProject
{
    // As Directory.Build.props has them for everybody.
    private static readonly string[] s_implicitUsings =
    [
        "System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading", "System.Threading.Tasks",
    ];

    private static readonly string[] s_webUsings =
    [
        "Microsoft.AspNetCore.Builder", "Microsoft.AspNetCore.Hosting", "Microsoft.AspNetCore.Http", "Microsoft.AspNetCore.Routing",
        "Microsoft.Extensions.Configuration", "Microsoft.Extensions.DependencyInjection", "Microsoft.Extensions.Hosting",
        "Microsoft.Extensions.Logging",
    ];

    private static readonly Lazy<IReadOnlyList<MetadataReference>> s_framework = new(ReadFramework);
    private static readonly Lazy<IReadOnlyList<SourceProject>> s_all = new(ReadAll);

    private SourceProject(string name, CSharpCompilation compilation)
    {
        Name = name;
        Compilation = compilation;
    }

    /// <summary>All projects of src that hold C#, those below first.</summary>
    public static IReadOnlyList<SourceProject> All => s_all.Value;

    /// <summary>Its folder below src.</summary>
    public string Name { get; }

    public CSharpCompilation Compilation { get; }

    /// <summary>Its own files, without what the build would generate.</summary>
    public IEnumerable<SyntaxTree> Files => Compilation.SyntaxTrees.Where(static tree => tree.FilePath.Length > 0);

    /// <summary>A project made of texts, to try a rule on.</summary>
    public static SourceProject Of(params (string Path, string Text)[] files) =>
        new("A", Compile("A", files.Select(static file => Parse(file.Text, file.Path)), []));

    private static List<SourceProject> ReadAll()
    {
        Dictionary<string, SourceProject> read = [];
        List<SourceProject> all = [];
        foreach (string path in Repository.Files("src", "*.csproj"))
        {
            Read(path, read, all);
        }

        return all;
    }

    private static SourceProject Read(string path, Dictionary<string, SourceProject> read, List<SourceProject> all)
    {
        if (read.TryGetValue(path, out SourceProject? known))
        {
            return known;
        }

        XDocument project = XDocument.Load(Repository.PathOf(path));
        string folder = Path.GetDirectoryName(path)!.Replace('\\', '/');
        string name = Path.GetFileName(folder);
        SourceProject[] below = [.. project.Descendants("ProjectReference")
            .Select(static reference => ((string)reference.Attribute("Include")!).Replace('\\', '/'))
            .Select(reference => Path.GetRelativePath(Repository.Root, Path.GetFullPath(Path.Combine(Repository.PathOf(folder), reference)))
                .Replace('\\', '/'))
            .Select(reference => Read(reference, read, all))];
        SyntaxTree[] files = [.. Repository.Files(folder, "*.cs").Select(static file => Parse(Repository.Text(file), file))];
        IEnumerable<string> friends = project.Descendants("InternalsVisibleTo")
            .Select(static friend => (string)friend.Attribute("Include")!);
        bool isWeb = project.Descendants("FrameworkReference").Any();
        bool isAboveGround = below.Length > 0;
        IEnumerable<string> usings = s_implicitUsings.Concat(isWeb ? s_webUsings : [])
            .Concat(isAboveGround ? ["Ambrosia.Primitives", "Ambrosia.Primitives.Threading"] : []);
        string generated = string.Join("\n", usings.Select(static space => $"global using {space};")
            .Concat(friends.Select(static friend => $"[assembly: System.Runtime.CompilerServices.InternalsVisibleTo(\"{friend}\")]")));
        string assembly = project.Descendants("AssemblyName").FirstOrDefault()?.Value ?? $"Ambrosia.{name}";
        var made = new SourceProject(name, Compile(assembly, files.Append(Parse(generated, "")), Everything(below)));
        read.Add(path, made);
        all.Add(made);
        return made;
    }

    // What a project references comes along with it, as for MSBuild.
    private static IEnumerable<MetadataReference> Everything(IEnumerable<SourceProject> below) => below
        .SelectMany(static project => project.Compilation.References.OfType<CompilationReference>()
            .Select(static reference => reference.Compilation).Append(project.Compilation))
        .Distinct().Select(static compilation => compilation.ToMetadataReference());

    private static CSharpCompilation Compile(string assembly, IEnumerable<SyntaxTree> files, IEnumerable<MetadataReference> below) =>
        CSharpCompilation.Create(assembly, files, [.. s_framework.Value, .. below],
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true,
                nullableContextOptions: NullableContextOptions.Enable));

    private static SyntaxTree Parse(string text, string path) => CSharpSyntaxTree.ParseText(text,
        CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.CSharp12)
        .WithPreprocessorSymbols("NET8_0", "NET8_0_OR_GREATER", "NET6_0_OR_GREATER"), path);

    private static MetadataReference[] ReadFramework()
    {
        string core = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        string web = Path.Combine(Path.GetDirectoryName(Path.GetDirectoryName(core)!)!, "Microsoft.AspNetCore.App");
        string newest = Directory.GetDirectories(web).Single(folder => Path.GetFileName(folder) == Path.GetFileName(core));
        return [.. new[] { core, newest }.SelectMany(static folder => Directory.GetFiles(folder, "*.dll")).Where(IsManaged)
            .Select(static file => MetadataReference.CreateFromFile(file))];
    }

    private static bool IsManaged(string file)
    {
        using var reader = new System.Reflection.PortableExecutable.PEReader(File.OpenRead(file));
        return reader.HasMetadata;
    }
}
