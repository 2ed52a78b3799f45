using System.IO.Compression;
using System.Text.Json;
using Ambrosia.Packages.Tests.Support;
using Xunit.Abstractions;

namespace Ambrosia.Packages.Tests;

/// <summary>A project gets the assemblies that are made for its own .NET, and they run there.</summary>
[Collection(OneNewcomer.Name)]
public sealed class FrameworkTests(Newcomer newcomer, ITestOutputHelper output)
{
    private static readonly string[] s_frameworks = ["net10.0", "net8.0"];

    [Theory]
    [InlineData("Ambrosia")]
    [InlineData("Ambrosia.Client")]
    [InlineData("Ambrosia.Testing")]
    public void A_library_has_the_same_assemblies_for_each_framework(string name)
    {
        using ZipArchive package = ZipFile.OpenRead(Path.Combine(newcomer.Packages, $"{name}.{Repository.Version}.nupkg"));
        string[][] assemblies = [.. package.Entries
            .Where(static entry =>
                entry.FullName.StartsWith("lib/", StringComparison.Ordinal) && entry.Name.EndsWith(".dll", StringComparison.Ordinal))
            .GroupBy(static entry => entry.FullName.Split('/')[1])
            .OrderBy(static group => group.Key, StringComparer.Ordinal)
            .Select(static group => (string[])[group.Key, .. group.Select(static entry => entry.Name).Order(StringComparer.Ordinal)])];

        Assert.Equal(s_frameworks, assemblies.Select(static each => each[0]));
        Assert.True(assemblies[0].Length > 1);
        Assert.Equal(assemblies[0][1..], assemblies[1][1..]);
    }

    [Theory]
    [InlineData("net8.0", ".NETCoreApp,Version=v8.0")]
    [InlineData("net10.0", ".NETCoreApp,Version=v10.0")]
    public async Task A_project_gets_the_assemblies_of_its_framework(string framework, string target)
    {
        string shop = await ShopAsync(framework);

        await newcomer.SucceedAsync(shop, "dotnet build tests");

        Assert.All(Compiled(Path.Combine(shop, "obj"), framework, "Ambrosia"), path =>
            Assert.StartsWith($"lib/{framework}/", path, StringComparison.Ordinal));
        Assert.All(Compiled(Path.Combine(shop, "tests", "obj"), framework, "Ambrosia.Testing"), path =>
            Assert.StartsWith($"lib/{framework}/", path, StringComparison.Ordinal));
        string binding = Path.Combine(shop, "bin", "Debug", framework, "Ambrosia.CSharpBinding.dll");
        Assert.Contains(target, System.Text.Encoding.Latin1.GetString(await File.ReadAllBytesAsync(binding)), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_app_for_net8_runs_on_the_newest_runtime_and_on_its_own_one()
    {
        string shop = await ShopAsync("net8.0");
        await newcomer.SucceedAsync(shop, "dotnet build");
        string app = Path.Combine(shop, "bin", "Debug", "net8.0", Path.GetFileName(shop) + ".dll");

        await LiveTwiceAsync("dotnet", app, $"/{Environment.Version.Major}.", before: 0);

        string own = Path.Combine(newcomer.Folder, "dotnet8");
        string script = Repository.PathOf("tests/support/run/dotnet8.sh");
        (int code, string said) = await newcomer.RunAsync(newcomer.Folder, $"bash {script} {own}");
        Report.Add(output, code == 0 ? $"on .NET 8 itself: {said.Replace('\n', ',')}" : $"on .NET 8 itself nothing was run: {said}");
        if (code == 0)
        {
            await LiveTwiceAsync(Path.Combine(own, "dotnet"), app, "/8.", before: 12);
        }
    }

    // Types 5 and 7, kills the app, and looks for their sum in its next life. App and coordinator run on the same .NET.
    private async Task LiveTwiceAsync(string host, string app, string version, int before)
    {
        (string, string)[] environment = host == "dotnet" ? [] : [("DOTNET_ROOT", Path.GetDirectoryName(host)!)];
        Child first = newcomer.Start(newcomer.Folder, $"{host} {app}", environment);
        await first.SaysAsync($"Total: {before}.");
        await first.TypeAsync("5");
        await first.TypeAsync("7");
        await first.SaysAsync($"Total: {before + 12}");
        Assert.Contains($"Microsoft.NETCore.App{version}", await MapsOfAsync(first.Id), StringComparison.Ordinal);
        string coordinator = Assert.Single(ChildrenOf(first.Id));
        Assert.Contains($"Microsoft.AspNetCore.App{version}",
            await MapsOfAsync(int.Parse(coordinator, System.Globalization.CultureInfo.InvariantCulture)), StringComparison.Ordinal);
        Child.Kill(first.Id);
        await first.EndAsync();
        Child second = newcomer.Start(newcomer.Folder, $"{host} {app}", environment);
        await second.SaysAsync($"Total: {before + 12}.");
        Child.Stop(second.Id);
        await second.EndAsync();
    }

    private async Task<string> ShopAsync(string framework)
    {
        string shop = Path.Combine(newcomer.Folder, "Shop" + framework.Split('.')[0]);
        if (!Directory.Exists(shop))
        {
            await newcomer.SucceedAsync(newcomer.Folder, $"dotnet new immortal -o {shop} --Framework {framework}");
        }

        return shop;
    }

    private static string[] Compiled(string folder, string framework, string package)
    {
        using var assets = JsonDocument.Parse(File.ReadAllText(Path.Combine(folder, "project.assets.json")));
        string[] paths = [.. assets.RootElement.GetProperty("targets").GetProperty(framework).GetProperty($"{package}/{Repository.Version}")
            .GetProperty("compile").EnumerateObject().Select(static file => file.Name)];
        Assert.NotEmpty(paths);
        return paths;
    }

    private static Task<string> MapsOfAsync(int process) => File.ReadAllTextAsync($"/proc/{process}/maps");

    private static string[] ChildrenOf(int process) => [.. Directory.GetDirectories($"/proc/{process}/task")
        .SelectMany(static task => File.ReadAllText(Path.Combine(task, "children")).Split(' ', StringSplitOptions.RemoveEmptyEntries))];
}
