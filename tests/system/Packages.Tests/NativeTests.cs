using System.Runtime.InteropServices;
using Ambrosia.Packages.Tests.Support;

namespace Ambrosia.Packages.Tests;

/// <summary>A package with native coordinators. Compiling some takes minutes, so scripts stand for them.</summary>
[Collection(OneNewcomer.Name)]
public sealed class NativeTests(Newcomer newcomer)
{
    private const string Version = "0.0.2-native";
    private const string Name = "Ambrosia.ImmortalCoordinator";
    private const int BadUsage = 64;
    private static readonly string[] s_runtimes = ["linux-arm64", "linux-x64"];

    [Theory]
    [InlineData("app", "bin", "build")]
    [InlineData("app", "published", "publish -o published")]
    [InlineData("my app $HOME", "bin", "build")]
    [InlineData("my app $HOME", "published", "publish -o published")]
    public async Task An_app_has_them_for_every_runtime_and_starts_the_one_of_its_own(string folder, string output, string command)
    {
        string started = await PackAsync();
        string project = await ProjectAsync(folder);
        await newcomer.SucceedAsync(project, $"dotnet {command}");

        string app = Directory.GetFiles(Path.Combine(project, output), "App.dll", SearchOption.AllDirectories).Single();
        string beside = Path.Combine(Path.GetDirectoryName(app)!, "coordinator");
        Assert.Equal(
            s_runtimes.Select(runtime => Path.Combine(beside, runtime, Name)),
            Directory.GetFiles(beside, Name, SearchOption.AllDirectories).Order(StringComparer.Ordinal));
        Assert.All(s_runtimes, runtime => Assert.Equal(
            UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute,
            File.GetUnixFileMode(Path.Combine(beside, runtime, Name)) & (
                UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute)));
        File.Delete(started);
        Assert.Equal(BadUsage, (await newcomer.RunAsync(project, $"dotnet {Path.GetRelativePath(project, app)}")).Code);
        Assert.Equal(RuntimeInformation.RuntimeIdentifier, (await File.ReadAllTextAsync(started)).TrimEnd());
    }

    [Theory]
    [InlineData("linux-x64", "linux-x64", "bin", "build")]
    [InlineData("linux-x64", "linux-x64", "published", "publish -o published --no-self-contained")]
    [InlineData("linux-arm64", "linux-arm64", "published", "publish -o published --no-self-contained")]
    [InlineData("win-x64", null, "published", "publish -o published --no-self-contained")]
    public async Task An_app_for_one_runtime_has_no_others(string runtime, string? expected, string output, string command)
    {
        await PackAsync();
        string project = await ProjectAsync("app");
        await newcomer.SucceedAsync(project, $"dotnet {command} -r {runtime} -p:UseAppHost=false");

        string app = Directory.GetFiles(Path.Combine(project, output), "App.dll", SearchOption.AllDirectories).Single();
        string beside = Path.Combine(Path.GetDirectoryName(app)!, "coordinator");
        string[] natives = expected is null ? [] : [Path.Combine(beside, expected, Name)];
        Assert.Equal(natives, Directory.GetFiles(beside, Name, SearchOption.AllDirectories));
        Assert.All(natives, native => Assert.NotEqual(UnixFileMode.None, File.GetUnixFileMode(native) & UnixFileMode.UserExecute));
        Assert.True(File.Exists(Path.Combine(beside, $"{Name}.dll")));
    }

    // The scripts write their runtime into the file that is returned.
    private async Task<string> PackAsync()
    {
        string natives = Directory.CreateDirectory(Path.Combine(newcomer.Folder, "natives")).FullName;
        string started = Path.Combine(newcomer.Folder, "started");
        foreach (string runtime in s_runtimes)
        {
            Directory.CreateDirectory(Path.Combine(natives, runtime));
            await File.WriteAllTextAsync(Path.Combine(natives, runtime, Name),
                $"#!/bin/sh\necho {runtime} >'{started}'\nexit {BadUsage}\n");
        }

        if (!File.Exists(Path.Combine(newcomer.Packages, $"Ambrosia.{Version}.nupkg")))
        {
            await newcomer.PackAsync(newcomer.Packages, natives + Path.DirectorySeparatorChar, ["--version", Version]);
        }

        return started;
    }

    private async Task<string> ProjectAsync(string name)
    {
        string folder = Directory.CreateDirectory(Path.Combine(newcomer.Folder, Path.GetRandomFileName(), name)).FullName;
        await File.WriteAllTextAsync(Path.Combine(folder, "App.csproj"), $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net{Environment.Version.Major}.0</TargetFramework>
                <ImplicitUsings>enable</ImplicitUsings>
              </PropertyGroup>
              <ItemGroup>
                <PackageReference Include="Ambrosia" Version="{Version}" />
              </ItemGroup>
            </Project>
            """);
        await File.WriteAllTextAsync(Path.Combine(folder, "Program.cs"), """
            using Ambrosia;

            return await Immortal.RunAsync<Nothing>(args);

            [ImmortalInterface]
            public interface INothing;

            public sealed class Nothing : NothingBase;
            """);
        return folder;
    }
}
