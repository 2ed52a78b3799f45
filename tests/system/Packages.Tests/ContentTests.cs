using System.IO.Compression;
using System.Xml.Linq;
using Ambrosia.Packages.Tests.Support;

namespace Ambrosia.Packages.Tests;

/// <summary>What is in the packages.</summary>
[Collection(OneNewcomer.Name)]
public sealed class ContentTests(Newcomer newcomer)
{
    private static readonly string[] s_packages = ["Ambrosia", "Ambrosia.Cli", "Ambrosia.Client", "Ambrosia.Coordinator",
        "Ambrosia.Templates", "Ambrosia.Testing"];

    public static TheoryData<string> Packages() => new(s_packages);

    [Fact]
    public async Task Packing_twice_gives_the_same_bytes()
    {
        string second = Path.Combine(newcomer.Folder, "second");
        await newcomer.PackAsync(second);

        string[] names = [.. Directory.GetFiles(second).Select(static path => Path.GetFileName(path)).Order(StringComparer.Ordinal)];
        Assert.Equal([.. s_packages.Select(static name => $"{name}.{Repository.Version}.nupkg")],
            names.Where(static name => name.EndsWith(".nupkg", StringComparison.Ordinal)));
        foreach (string name in names)
        {
            byte[] first = await File.ReadAllBytesAsync(Path.Combine(newcomer.Packages, name));
            byte[] again = await File.ReadAllBytesAsync(Path.Combine(second, name));
            Assert.True(first.SequenceEqual(again), $"{name} differs.");
        }
    }

    [Theory]
    [MemberData(nameof(Packages))]
    public void A_package_says_what_it_is(string name)
    {
        using ZipArchive package = Open(name);
        XElement about = About(package, name);
        string Said(string element) => about.Elements().Single(each => each.Name.LocalName == element).Value;

        Assert.Equal((name, Repository.Version, "MIT", "icon.png", "README.md"),
            (Said("id"), Said("version"), Said("license"), Said("icon"), Said("readme")));
        Assert.True(Said("description").Length > 50);
        Assert.Equal("git", (string?)about.Elements().Single(static each => each.Name.LocalName == "repository").Attribute("type"));
        Assert.Equal([0x89, (byte)'P', (byte)'N', (byte)'G'], Bytes(package, "icon.png")[..4]);
        string readme = Text(package, "README.md");
        Assert.StartsWith($"# {name}\n", readme, StringComparison.Ordinal);
        Assert.Contains("```", readme, StringComparison.Ordinal);
        Assert.Contains(package.Entries, static entry => entry.FullName == "LICENSE");
    }

    [Theory]
    [InlineData("Ambrosia")]
    [InlineData("Ambrosia.Client")]
    [InlineData("Ambrosia.Testing")]
    public void A_library_has_its_documentation_beside_it_and_its_symbols_in_the_symbol_package(string name)
    {
        using ZipArchive package = Open(name);
        using ZipArchive symbols = Open(name, "snupkg");
        string[] libraries = [.. package.Entries.Select(static entry => entry.FullName)
            .Where(static path => path.StartsWith("lib/", StringComparison.Ordinal))];
        string[] assemblies = [.. libraries.Where(static path => path.EndsWith(".dll", StringComparison.Ordinal))];
        Assert.NotEmpty(assemblies);
        Assert.Equal(assemblies.Select(static path => Path.ChangeExtension(path, ".xml")),
            libraries.Where(static path => path.EndsWith(".xml", StringComparison.Ordinal)));
        Assert.Equal(
            assemblies.Select(static path => Path.ChangeExtension(path, ".pdb")).Order(StringComparer.Ordinal),
            symbols.Entries.Select(static entry => entry.FullName).Where(static path => path.EndsWith(".pdb", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("Ambrosia", "coordinator/Ambrosia.ImmortalCoordinator", false)]
    [InlineData("Ambrosia.Coordinator", "coordinator/Ambrosia.ImmortalCoordinator", true)]
    [InlineData("Ambrosia.Cli", "tools/net8.0/any/Ambrosia.ImmortalCoordinator", true)]
    public void The_coordinator_runs_on_any_runtime_and_lies_where_it_belongs(string name, string path, bool isThere)
    {
        using ZipArchive package = Open(name);
        string[] files = [.. package.Entries.Select(static entry => entry.FullName)];
        Assert.Equal(isThere, files.Contains(path + ".dll"));
        Assert.Equal(isThere, files.Contains(path + ".runtimeconfig.json"));
        Assert.DoesNotContain(path, files); // An executable for the system that packed it.
    }

    [Fact]
    public void Generator_analyzers_and_fixes_come_with_the_binding()
    {
        using ZipArchive package = Open("Ambrosia");
        string[] files = [.. package.Entries.Select(static entry => entry.FullName)];
        Assert.Equal(
            ["analyzers/dotnet/cs/Ambrosia.CodeGen.Fixes.dll", "analyzers/dotnet/cs/Ambrosia.CodeGen.dll"],
            files.Where(static path => path.StartsWith("analyzers/", StringComparison.Ordinal)));
        Assert.Equal(
            ["build/Ambrosia.Version.props", "build/Ambrosia.props", "build/Ambrosia.targets"],
            files.Where(static path => path.StartsWith("build", StringComparison.Ordinal)).Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("Ambrosia")]
    [InlineData("Ambrosia.Client")]
    [InlineData("Ambrosia.Testing")]
    public void A_package_depends_on_all_that_its_libraries_need_and_on_nothing_else(string name)
    {
        XDocument project = XDocument.Load(Repository.PathOf($"packaging/{name}/{name}.Package.csproj"));
        string[] packed = [.. Included(project, "PackedLibrary")
            .Select(path => Path.GetFullPath(Repository.PathOf($"packaging/{name}/{path}")))];
        XDocument[] libraries = [.. packed.Select(static path => XDocument.Load(path))];

        string[] needed = [.. libraries.SelectMany(static library => Included(library, "PackageReference"))];
        Assert.Equal(needed.Distinct().Order(StringComparer.Ordinal), Included(project, "PackageReference").Order(StringComparer.Ordinal));
        // What a library stands on is packed with it, or comes by way of Ambrosia.
        string[] below = [.. packed.Zip(libraries).SelectMany(static each =>
            Included(each.Second, "ProjectReference")
            .Select(path => Path.GetFullPath(Path.Combine(Path.GetDirectoryName(each.First)!, path))))];
        string[] brought = [.. Included(XDocument.Load(Repository.PathOf("packaging/Ambrosia/Ambrosia.Package.csproj")), "PackedLibrary")
            .Select(static path => Path.GetFullPath(Repository.PathOf($"packaging/Ambrosia/{path}")))];
        Assert.Empty(below.Except(packed).Except(brought));
    }

    [Fact]
    public void The_service_for_other_languages_is_described_in_the_clients_package()
    {
        using ZipArchive package = Open("Ambrosia.Client");
        Assert.Equal(Repository.Text("src/Protocol/Ingress/ambrosia/v1/ingress.proto"), Text(package, "proto/ambrosia/v1/ingress.proto"));
    }

    [Theory]
    [InlineData("immortal/tests/Immortal-1.Tests.csproj")]
    [InlineData("immortal-solution/Directory.Packages.props")]
    public void Templates_use_the_versions_that_this_repository_is_tested_with(string file)
    {
        XElement[] named = [.. XDocument.Load(Repository.PathOf($"packaging/Ambrosia.Templates/templates/{file}")).Descendants()
            .Where(static each => each.Attribute("Version") is not null)];
        var central = XDocument.Load(Repository.PathOf("Directory.Packages.props")).Descendants("PackageVersion")
            .Where(static each => each.Parent!.Attribute("Condition") is null) // Not those of one framework.
            .ToDictionary(static each => (string)each.Attribute("Include")!, static each => (string)each.Attribute("Version")!);
        Assert.NotEmpty(named);
        foreach (XElement each in named)
        {
            string id = (string)each.Attribute("Include")!;
            Assert.Equal(id.StartsWith("Ambrosia", StringComparison.Ordinal) ? "AMBROSIA-VERSION"
                : central[id], (string)each.Attribute("Version")!);
        }
    }

    private static IEnumerable<string> Included(XDocument project, string kind) =>
        project.Descendants(kind).Select(static each => ((string)each.Attribute("Include")!).Replace('\\', '/'));

    private static XElement About(ZipArchive package, string name) =>
        XElement.Parse(Text(package, name + ".nuspec").TrimStart('\ufeff')).Elements().Single();

    private static string Text(ZipArchive package, string path) => System.Text.Encoding.UTF8.GetString(Bytes(package, path));

    private static byte[] Bytes(ZipArchive package, string path)
    {
        using Stream content = package.GetEntry(path)!.Open();
        using var bytes = new MemoryStream();
        content.CopyTo(bytes);
        return bytes.ToArray();
    }

    private ZipArchive Open(string name, string extension = "nupkg") =>
        ZipFile.OpenRead(Path.Combine(newcomer.Packages, $"{name}.{Repository.Version}.{extension}"));
}
