using System.Xml.Linq;
using Ambrosia.Architecture.Tests.Symbols;

namespace Ambrosia.Architecture.Tests;

/// <summary>Dependencies point one way; a change that needs another arrow changes this table and says why.</summary>
public sealed class ProjectReferencesTests
{
    private static readonly Dictionary<string, string[]> s_projects = new()
    {
        ["Primitives"] = [],
        ["Protocol"] = ["Primitives"],
        ["LogStore"] = ["Primitives"],
        ["LogStore.Azure"] = ["LogStore"],
        ["LogStore.Postgres"] = ["LogStore"],
        ["Coordinator"] = ["LogStore", "Protocol"],
        ["Inspection"] = ["Coordinator"],
        // The stores that are services are known to the one class that registers them.
        ["CoordinatorHost"] = ["Coordinator", "Inspection", "LogStore.Azure", "LogStore.Postgres"],
        ["ImmortalCoordinator"] = ["CoordinatorHost"],
        ["CSharpBinding"] = ["Primitives", "Protocol"],
        ["Client"] = ["CSharpBinding", "Protocol"], // The binding for the attributes and formatters of interfaces.
        ["CodeGen"] = [],
        ["CodeGen.Fixes"] = ["CodeGen"],
        ["CodeGen.Tool"] = ["CodeGen", "CSharpBinding"], // The binding for the attributes that a lone source file uses.
        ["TimeTravel"] = ["Inspection", "LogStore", "Protocol"],
        // Replay into an object is the debugger's engine with the app in the same process.
        ["InProcess"] = ["CoordinatorHost", "CSharpBinding", "LogStore", "Protocol", "TimeTravel"],
        ["TimeTravel.Xunit"] = ["InProcess", "TimeTravel"],
        // The daemon for its files, which lie beside the command.
        ["Ambrosia"] = ["CoordinatorHost", "ImmortalCoordinator", "LogStore", "Protocol", "TimeTravel"],
    };

    private static readonly Dictionary<string, string[]> s_packages = new()
    {
        ["Primitives"] = ["System.IO.Pipelines"],
        ["Protocol"] = [],
        ["LogStore"] = ["Microsoft.Extensions.Logging.Abstractions"],
        ["LogStore.Azure"] = ["Azure.Data.Tables", "Azure.Storage.Blobs"],
        ["LogStore.Postgres"] = ["Microsoft.Extensions.Logging.Abstractions", "Npgsql"],
        ["Coordinator"] = ["Microsoft.Extensions.Logging.Abstractions"],
        ["Inspection"] = [],
        ["CoordinatorHost"] = ["framework Microsoft.AspNetCore.App", "Microsoft.IdentityModel.JsonWebTokens"],
        ["ImmortalCoordinator"] = ["framework Microsoft.AspNetCore.App", "OpenTelemetry.Exporter.OpenTelemetryProtocol"],
        ["CSharpBinding"] =
        [
            "Cronos", "MessagePack", "Microsoft.Extensions.Diagnostics.HealthChecks", "Microsoft.Extensions.Hosting.Abstractions",
            "Microsoft.NET.StringTools", "System.IO.Pipelines",
        ],
        ["Client"] = ["Grpc.Net.Client"],
        ["CodeGen"] = ["Microsoft.CodeAnalysis.CSharp", "Microsoft.CodeAnalysis.Analyzers"],
        ["CodeGen.Fixes"] = ["Microsoft.CodeAnalysis.CSharp.Workspaces", "Microsoft.CodeAnalysis.Analyzers", "System.Composition"],
        ["CodeGen.Tool"] = ["Microsoft.CodeAnalysis.CSharp", "System.CommandLine", "Microsoft.CodeAnalysis.CSharp.Workspaces"],
        ["TimeTravel"] = [],
        ["InProcess"] = ["framework Microsoft.AspNetCore.App"],
        ["TimeTravel.Xunit"] = ["xunit.extensibility.execution"],
        ["Ambrosia"] = ["framework Microsoft.AspNetCore.App", "System.CommandLine", "Spectre.Console"],
    };

    public static TheoryData<string> Projects() => new(Repository.Files("src", "*.csproj"));

    [Theory]
    [MemberData(nameof(Projects))]
    public void A_project_references_only_what_lies_below_it(string path)
    {
        string name = Path.GetFileNameWithoutExtension(path);
        Assert.True(s_projects.ContainsKey(name), $"{name} is new: say in this table what it may reference.");
        string[] foreign = [.. References(path, "ProjectReference").Select(Path.GetFileNameWithoutExtension).OfType<string>()
            .Except(s_projects[name])];
        Assert.True(foreign.Length == 0, $"{path} must not reference {string.Join(", ", foreign)}.");
    }

    [Theory]
    [MemberData(nameof(Projects))]
    public void A_project_uses_no_package_that_was_not_decided_on(string path)
    {
        string name = Path.GetFileNameWithoutExtension(path);
        IEnumerable<string> used = References(path, "PackageReference")
            .Concat(References(path, "FrameworkReference").Select(static framework => "framework " + framework));
        string[] foreign = [.. used.Except(s_packages[name])];
        Assert.True(foreign.Length == 0,
            $"{path} must not use {string.Join(", ", foreign)}; docs/internals/architecture.md says why so few are used.");
    }

    [Fact]
    public void No_project_opens_its_internals_to_another_that_ships() => new Debt("friends").RequireOnly(
        from path in Repository.Files("src", "*.csproj")
        from friend in References(path, "InternalsVisibleTo")
        where friend == "ambrosia" || s_projects.Keys.Any(name => friend == $"Ambrosia.{name}")
        select ($"{Path.GetFileNameWithoutExtension(path)} -> {friend}", path),
        "What a higher project needs is public in the lower one, or lives lower.");

    [Fact]
    public void The_arrows_have_no_circle()
    {
        foreach (string start in s_projects.Keys)
        {
            Assert.DoesNotContain(start, s_projects[start].SelectMany(Below));
        }

        static IEnumerable<string> Below(string project) => s_projects[project].SelectMany(Below).Prepend(project);
    }

    [Fact]
    public void Every_project_of_the_repository_is_in_the_solution()
    {
        string solution = Repository.Text("ambrosia.sln").Replace('\\', '/');
        string[] projects = [.. new[] { "src", "tests", "samples", "bench" }.SelectMany(static folder =>
            Repository.Files(folder, "*.csproj"))];
        Assert.NotEmpty(projects);
        string[] missing = [.. projects.Where(path =>
            !solution.Contains($"\"{path}\"", StringComparison.Ordinal) && !IsTestMaterial(path))];
        Assert.True(missing.Length == 0, $"dotnet sln ambrosia.sln add {string.Join(" ", missing)}");
    }

    [Fact]
    public void Packages_have_their_versions_in_one_place()
    {
        string[] projects = [.. new[] { "src", "tests", "samples", "bench" }.SelectMany(static folder =>
            Repository.Files(folder, "*.csproj"))];
        string[] versioned = [.. projects.Where(static path => XDocument.Load(Repository.PathOf(path)).Descendants("PackageReference")
            .Any(static package => package.Attribute("Version") is not null))];
        Assert.True(versioned.Length == 0, $"Versions belong into Directory.Packages.props, not into {string.Join(", ", versioned)}.");
    }

    // Projects that tests build themselves, as inputs.
    private static bool IsTestMaterial(string path) =>
        path.Contains("/Fixtures/", StringComparison.Ordinal) || path.Contains("/Scenarios/", StringComparison.Ordinal);

    private static IEnumerable<string> References(string path, string kind) =>
        XDocument.Load(Repository.PathOf(path)).Descendants(kind)
        .Select(static reference => ((string)reference.Attribute("Include")!).Replace('\\', '/'));
}
