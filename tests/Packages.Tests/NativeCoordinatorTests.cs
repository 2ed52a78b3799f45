using System.Runtime.InteropServices;
using Ambrosia.Packages.Tests.Support;

namespace Ambrosia.Packages.Tests;

/// <summary>A package that has the coordinator as a native executable, too: packages keep no right to execute a file.</summary>
[Collection(OneNewcomer.Name)]
public sealed class NativeCoordinatorTests(Newcomer newcomer)
{
    private const string Name = "Ambrosia.ImmortalCoordinator";

    [Theory]
    [InlineData("native")]
    [InlineData("my app $HOME")]
    public async Task It_may_be_executed_after_a_build_and_after_a_publish(string folder)
    {
        string project = Directory.CreateDirectory(Path.Combine(newcomer.Folder, Path.GetRandomFileName(), folder)).FullName;
        await File.WriteAllTextAsync(Path.Combine(project, "App.csproj"), $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net{Environment.Version.Major}.0</TargetFramework></PropertyGroup>
              <ItemGroup><PackageReference Include="Ambrosia" Version="{Repository.Version}" /></ItemGroup>
            </Project>
            """);
        await File.WriteAllTextAsync(Path.Combine(project, "Program.cs"), "return 0;");
        await newcomer.SucceedAsync(project, "dotnet restore");
        string packed = Path.Combine(newcomer.Folder, "cache", "ambrosia.coordinator", Repository.Version, "coordinator", RuntimeInformation.RuntimeIdentifier);
        Directory.CreateDirectory(packed);
        try
        {
            // As NuGet unpacks one.
            await File.WriteAllTextAsync(Path.Combine(packed, Name), "#!/bin/sh\n");
            File.SetUnixFileMode(Path.Combine(packed, Name), UnixFileMode.UserRead | UnixFileMode.UserWrite);

            await newcomer.SucceedAsync(project, "dotnet build --no-restore");
            await newcomer.SucceedAsync(project, "dotnet publish --no-restore --no-build -c Debug -o out");

            Assert.All(
                Directory.GetFiles(project, Name, SearchOption.AllDirectories),
                static file => Assert.True(File.GetUnixFileMode(file).HasFlag(UnixFileMode.UserExecute), file));
            Assert.Equal(2, Directory.GetFiles(project, Name, SearchOption.AllDirectories).Length);
        }
        finally
        {
            Directory.Delete(packed, recursive: true);
        }
    }
}
