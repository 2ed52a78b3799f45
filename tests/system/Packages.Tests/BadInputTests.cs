using Ambrosia.Packages.Tests.Support;

namespace Ambrosia.Packages.Tests;

/// <summary>What does not fit together is said in one sentence that says what to do.</summary>
[Collection(OneNewcomer.Name)]
public sealed class BadInputTests(Newcomer newcomer)
{
    private const int Unavailable = 69;

    public static TheoryData<string, string, string> Mixes() => new()
    {
        { Newcomer.OtherVersion, Repository.Version, $"Ambrosia {Newcomer.OtherVersion} and Ambrosia.Coordinator {Repository.Version}" },
        { Repository.Version, Newcomer.OtherVersion, $"Ambrosia {Repository.Version} and Ambrosia.Coordinator {Newcomer.OtherVersion}" },
    };

    [Theory]
    [MemberData(nameof(Mixes))]
    public async Task A_binding_and_a_coordinator_of_different_versions_are_refused(string binding, string coordinator, string expected)
    {
        string project = await ProjectAsync($"""
            <PackageReference Include="Ambrosia" Version="{binding}" />
            <PackageReference Include="Ambrosia.Coordinator" Version="{coordinator}" />
            """, "<NoWarn>NU1605;NU1608</NoWarn>"); // Of a project that does not listen to NuGet, which refuses or warns, too.

        await RefusedAsync(project, "AMB901",
            $"{expected}, which are made for each other in one version only: give every package of Ambrosia the same one.");
    }

    [Fact]
    public async Task A_test_host_of_another_version_is_refused()
    {
        string project = await ProjectAsync($"""
            <PackageReference Include="Ambrosia" Version="{Repository.Version}" />
            <PackageReference Include="Ambrosia.Testing" Version="{Newcomer.OtherVersion}" />
            """, "<NoWarn>NU1605;NU1608</NoWarn>");

        await RefusedAsync(project, "AMB901", $"Ambrosia.Testing {Newcomer.OtherVersion} and Ambrosia.Coordinator {Repository.Version}");
    }

    [Fact]
    public async Task An_app_without_a_coordinator_is_refused_with_the_package_that_has_it()
    {
        string project = await ProjectAsync($"""
            <PackageReference Include="Ambrosia" Version="{Repository.Version}" />
            <PackageReference Include="Ambrosia.Coordinator" Version="{Repository.Version}" ExcludeAssets="all" />
            """);

        await RefusedAsync(project, "AMB902",
            "reference the package Ambrosia.Coordinator, or set AmbrosiaEmbedCoordinator to false and name one that runs by "
            + "--binding-socket");
    }

    [Theory]
    [InlineData("win-x86")]
    [InlineData("linux-arm")]
    [InlineData("linux-x86")]
    public async Task A_system_that_the_coordinator_does_not_run_on_is_refused(string runtime)
    {
        string project = await ProjectAsync(
            $"""<PackageReference Include="Ambrosia" Version="{Repository.Version}" />""",
            $"<RuntimeIdentifier>{runtime}</RuntimeIdentifier><SelfContained>false</SelfContained><UseAppHost>false</UseAppHost>");

        await RefusedAsync(project, "AMB903",
            $"runs on 64-bit Linux, Windows and macOS, not on {runtime}: build for linux-x64, linux-arm64, win-x64 or osx-arm64, or set "
            + $"AmbrosiaEmbedCoordinator to false");
    }

    [Theory]
    [InlineData("10")]
    [InlineData("7.3")]
    public async Task An_old_language_is_refused_in_one_sentence(string language)
    {
        string project = await ProjectAsync(
            $"""<PackageReference Include="Ambrosia" Version="{Repository.Version}" />""", $"<LangVersion>{language}</LangVersion>");

        await RefusedAsync(project, "AMB904",
            $"is written in C# {language}, and what the generator makes needs C# 11 or newer: take LangVersion out of the project, or set "
            + $"it to 11 or more.");
    }

    [Theory]
    [InlineData("win-x64")]
    [InlineData("osx-arm64")]
    public async Task An_app_for_a_system_with_managed_fallbacks_gets_the_coordinator_along(string runtime)
    {
        string project = await ProjectAsync(
            $"""<PackageReference Include="Ambrosia" Version="{Repository.Version}" />""",
            $"<RuntimeIdentifier>{runtime}</RuntimeIdentifier><SelfContained>false</SelfContained><UseAppHost>false</UseAppHost>");
        await newcomer.SucceedAsync(project, "dotnet build");
        Assert.Single(Directory.GetFiles(Path.Combine(project, "bin"), "Ambrosia.ImmortalCoordinator.dll", SearchOption.AllDirectories));
    }

    [Fact]
    public async Task An_app_whose_coordinator_is_gone_says_where_it_looked_and_what_to_do()
    {
        string project = await ProjectAsync($"""<PackageReference Include="Ambrosia" Version="{Repository.Version}" />""");
        await newcomer.SucceedAsync(project, "dotnet build");
        string app = Directory.GetFiles(Path.Combine(project, "bin"), "App.dll", SearchOption.AllDirectories).Single();
        Directory.Delete(Path.Combine(Path.GetDirectoryName(app)!, "coordinator"), recursive: true);

        (int code, string output) = await newcomer.RunAsync(project, $"dotnet {app}");

        Assert.Equal(Unavailable, code);
        string line = Assert.Single(output.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.Contains("There is no coordinator in", line, StringComparison.Ordinal);
        Assert.Contains("name a coordinator by --coordinator, or attach to one that runs by --binding-socket", line,
            StringComparison.Ordinal);
    }

    private async Task RefusedAsync(string project, string code, string sentence)
    {
        (int exit, string output) = await newcomer.RunAsync(project, "dotnet build");

        Assert.True(exit != 0, output);
        string line = output.Split('\n').FirstOrDefault(line => line.Contains($"error {code}", StringComparison.Ordinal)) ?? output;
        Assert.Contains(sentence, line, StringComparison.Ordinal);
    }

    private async Task<string> ProjectAsync(string references, string properties = "")
    {
        string other = Path.Combine(newcomer.Packages, $"Ambrosia.{Newcomer.OtherVersion}.nupkg");
        if (references.Contains(Newcomer.OtherVersion, StringComparison.Ordinal) && !File.Exists(other))
        {
            await newcomer.PackAsync(newcomer.Packages, "--version", Newcomer.OtherVersion);
        }

        string folder = Directory.CreateDirectory(Path.Combine(newcomer.Folder, Path.GetRandomFileName())).FullName;
        await File.WriteAllTextAsync(Path.Combine(folder, "App.csproj"), $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net{Environment.Version.Major}.0</TargetFramework>
                <ImplicitUsings>enable</ImplicitUsings>
                {properties}
              </PropertyGroup>
              <ItemGroup>
                {references}
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
