using System.Globalization;
using System.IO.Compression;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Text.Json;
using System.Xml.Linq;
using Ambrosia.Packages.Tests.Support;

namespace Ambrosia.Packages.Tests;

/// <summary>
/// A debugger finds the sources of a package where the repository is published. The ground floor stands for all libraries: it goes the way
/// of every package, from a clone of this commit whose origin is such an address.
/// </summary>
[Collection(OneNewcomer.Name)]
public sealed class SourceLinkTests(Newcomer newcomer)
{
    private const string Address = "https://github.com/ambrosia-for-dotnet/ambrosia";
    private const string Library = "lib/net8.0/Ambrosia.Primitives";
    private static readonly Guid s_sourceLink = new("CC110556-A091-4D38-9FEC-25AB9A351A6A");

    [Fact]
    public async Task Symbols_name_address_and_commit_of_each_source_and_no_folder_of_the_machine()
    {
        string clone = Path.Combine(newcomer.Folder, "clone");
        await RunAsync(newcomer.Folder, "git", "clone", "--quiet", "--no-hardlinks", Repository.Root, clone);
        await RunAsync(clone, "git", "remote", "set-url", "origin", $"{Address}.git");
        string commit = (await RunAsync(clone, "git", "rev-parse", "HEAD")).Trim();
        string packages = Path.Combine(newcomer.Folder, "linked");
        await RunAsync(clone, "dotnet", "pack", WritePackage(clone), "-c", "Release", "-nodereuse:false", "-p:UseSharedCompilation=false",
            "-p:ContinuousIntegrationBuild=true", "--nologo", "-v", "quiet", "-o", packages);

        using ZipArchive package = ZipFile.OpenRead(Path.Combine(packages, $"Floor.{Repository.Version}.nupkg"));
        XElement about = XDocument.Load(new MemoryStream(await ReadAsync(package, "Floor.nuspec"))).Descendants()
            .Single(static each => each.Name.LocalName == "repository");
        Assert.Equal(($"{Address}.git", commit), (about.Attribute("url")?.Value, about.Attribute("commit")?.Value));
        using var assembly = new PEReader(new MemoryStream(await ReadAsync(package, $"{Library}.dll")));
        Assert.Contains(assembly.ReadDebugDirectory(), static entry => entry.Type == DebugDirectoryEntryType.Reproducible);

        using ZipArchive symbols = ZipFile.OpenRead(Path.Combine(packages, $"Floor.{Repository.Version}.snupkg"));
        using var provider = MetadataReaderProvider.FromPortablePdbStream(new MemoryStream(await ReadAsync(symbols, $"{Library}.pdb")));
        MetadataReader pdb = provider.GetMetadataReader();
        Assert.Equal($"https://raw.githubusercontent.com/ambrosia-for-dotnet/ambrosia/{commit}/*", LinksOf(pdb)["/_/*"]);
        string[] documents = [.. pdb.Documents.Select(each => pdb.GetString(pdb.GetDocument(each).Name))];
        Assert.Contains("/_/src/Primitives/Lsn.cs", documents);
        Assert.All(documents, static path => Assert.StartsWith("/_/", path, StringComparison.Ordinal));
    }

    // A package as the others in packaging, of one library.
    private static string WritePackage(string clone)
    {
        string folder = Directory.CreateDirectory(Path.Combine(clone, "packaging", "Floor")).FullName;
        File.WriteAllText(Path.Combine(folder, "README.md"), "# Floor\n");
        string project = Path.Combine(folder, "Floor.Package.csproj");
        File.WriteAllText(project, """
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup><TargetFramework>net8.0</TargetFramework><Description>The ground floor alone.</Description></PropertyGroup>
              <ItemGroup><PackedLibrary Include="../../src/Primitives/Primitives.csproj" /></ItemGroup>
            </Project>
            """);
        return project;
    }

    private static Dictionary<string, string> LinksOf(MetadataReader pdb)
    {
        CustomDebugInformation link = Assert.Single(
            pdb.CustomDebugInformation.Select(pdb.GetCustomDebugInformation), each => pdb.GetGuid(each.Kind) == s_sourceLink);
        using var json = JsonDocument.Parse(pdb.GetBlobBytes(link.Value));
        return json.RootElement.GetProperty("documents").Deserialize<Dictionary<string, string>>()!;
    }

    private static async Task<byte[]> ReadAsync(ZipArchive package, string path)
    {
        using var bytes = new MemoryStream();
        await using Stream entry = package.GetEntry(path)!.Open();
        await entry.CopyToAsync(bytes);
        return bytes.ToArray();
    }

    // With the packages of this machine, as pack.sh: only what was built is looked at.
    private static async Task<string> RunAsync(string folder, params string[] words)
    {
        var start = new System.Diagnostics.ProcessStartInfo(words[0], words[1..]) { WorkingDirectory = folder };
        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        using Child child = Child.Start(start);
        string said = await child.EndAsync();
        Assert.True(child.ExitCode == 0,
            string.Create(CultureInfo.InvariantCulture, $"{string.Join(' ', words)} ended with {child.ExitCode}:\n{said}"));
        return said;
    }
}
