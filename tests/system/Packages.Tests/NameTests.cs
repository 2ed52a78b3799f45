using Ambrosia.Packages.Tests.Support;

namespace Ambrosia.Packages.Tests;

/// <summary>A project may have any name that a folder may have, and builds.</summary>
[Collection(OneNewcomer.Name)]
public sealed class NameTests(Newcomer newcomer)
{
    [Theory]
    [InlineData("immortal", "class", "_class")] // A word of the language.
    [InlineData("immortal", "Ambrosia", "AmbrosiaApp")] // A package that it uses, and its namespace.
    [InlineData("immortal", "Immortal", "ImmortalApp")] // A type that its code names.
    [InlineData("immortal", "Acme.Task.new", "Acme.TaskApp._new")]
    [InlineData("immortal", "1st", "_1st")]
    [InlineData("immortal", "my-app", "my_app")]
    [InlineData("immortal-solution", "class", "_class")]
    [InlineData("immortal-solution", "Ambrosia", "AmbrosiaApp")]
    [InlineData("immortal-solution", "Front", "FrontApp")]
    public async Task A_template_builds_by_any_name(string template, string name, string space)
    {
        string folder = Path.Combine(newcomer.Folder, $"named-{template}", name);
        await newcomer.SucceedAsync(newcomer.Folder, $"dotnet new {template} -n {name} -o {folder}");
        string[] code = [.. Directory.GetFiles(folder, "*.cs", SearchOption.AllDirectories).SelectMany(File.ReadAllLines)];
        Assert.Contains($"namespace {space};", code);
        Assert.Contains($"namespace {space}.Tests;", code);
        await newcomer.SucceedAsync(folder, template == "immortal" ? "dotnet build tests" : "dotnet build");
    }

    [Fact]
    public async Task Places_and_images_have_names_that_are_allowed_there()
    {
        string folder = Path.Combine(newcomer.Folder, "named-places");
        await newcomer.SucceedAsync(newcomer.Folder, $"dotnet new immortal-solution -n My_Shop.2_ -o {folder}");
        Assert.Contains("namespace: my-shop-2\n", await File.ReadAllTextAsync(Path.Combine(folder, "k8s", "kustomization.yaml")),
            StringComparison.Ordinal);
        Assert.Contains("image: my-shop-2-orders:1.0.0", await File.ReadAllTextAsync(Path.Combine(folder, "compose.yaml")),
            StringComparison.Ordinal);
        Assert.Equal("my-shop-2-orders", (await newcomer.SucceedAsync(folder, "dotnet msbuild orders -getProperty:ContainerRepository"))
            .Trim());
    }
}
