using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.Architecture.Tests;

/// <summary>
/// No call of Linux is left where the managed fallbacks are chosen. Each is marked as Linux's, so that the compiler (CA1416, an error)
/// demands a guard before it, and the one guard is Platform.UsesLinuxCalls: another could let it pass on a Linux with fallbacks.
/// </summary>
public sealed class PlatformTests
{
    private static readonly string[] s_imports = ["DllImport", "LibraryImport"];

    // Each with its reason. None of them leads to a call of the C library.
    private static readonly Dictionary<string, string> s_askers = new()
    {
        ["src/Primitives/Platform.cs"] = "the one place that decides",
        ["src/LogStore/Files/Posix/PosixFileSystem.cs"] = "refuses on other systems; it is made by a guarded call alone",
        ["src/LogStore/Leases/LifeSign.cs"] = "the runtime's own sockets, under names that only Linux knows",
        ["src/Coordinator/Transport/Sockets/NamedProcess.cs"] = "reads files below /proc",
    };

    [Fact]
    public void Every_import_of_the_C_library_is_marked_as_Linuxs()
    {
        string[] found = [.. SourceFile.Sources.SelectMany(Unmarked)];
        Assert.True(found.Length == 0, $"Mark with [SupportedOSPlatform(\"linux\")]:\n{string.Join("\n", found)}");
        Assert.NotEmpty(SourceFile.Sources.SelectMany(static file => Imports(file)));
    }

    [Fact]
    public void Nothing_asks_for_Linux_but_by_the_switch_that_can_turn_it_off()
    {
        string[] found = [.. SourceFile.Sources.Where(static file => AsksForLinux(file.Tree)).Select(static file => file.Path)];
        Assert.Equal(s_askers.Keys.Order(StringComparer.Ordinal), found.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Nothing_silences_the_compiler_about_calls_of_other_systems()
    {
        string[] found = [.. Repository.Files("src").Where(static path => path.EndsWith(".cs", StringComparison.Ordinal)
            || path.EndsWith(".csproj", StringComparison.Ordinal) || path.EndsWith(".props", StringComparison.Ordinal)
            || path.EndsWith(".editorconfig", StringComparison.Ordinal))
            .Where(static path => Repository.Text(path).Contains("CA1416", StringComparison.Ordinal))];
        Assert.Equal(["src/Directory.Build.props"], found);
        Assert.Contains("<WarningsAsErrors>$(WarningsAsErrors);CA1416</WarningsAsErrors>", Repository.Text(found[0]),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("class A { [DllImport(\"libc\")] static extern int getpid(); }", 1)]
    [InlineData("class A { [LibraryImport(\"libc\")] static partial int getpid(); }", 1)]
    [InlineData("class A { [SupportedOSPlatform(\"windows\"), LibraryImport(\"libc\")] static partial int getpid(); }", 1)]
    [InlineData("class A { [SupportedOSPlatform(\"linux\")] [LibraryImport(\"libc\")] static partial int getpid(); }", 0)]
    [InlineData("[SupportedOSPlatform(\"linux\")] class A { [LibraryImport(\"libc\")] static partial int getpid(); }", 0)]
    public void The_rule_sees_what_it_should(string text, int unmarked) =>
        Assert.Equal(unmarked, Unmarked(SourceFile.Parse("src/A.cs", text)).Count());

    [Theory]
    [InlineData("class A { bool B => OperatingSystem.IsLinux(); }", true)]
    [InlineData("class A { bool B => System.OperatingSystem.IsOSPlatform(\"linux\"); }", true)]
    [InlineData("class A { bool B => RuntimeInformation.IsOSPlatform(OSPlatform.Linux); }", true)]
    [InlineData("class A { bool B => OperatingSystem.IsWindows() || Platform.UsesLinuxCalls; }", false)]
    public void The_rule_about_asking_sees_what_it_should(string text, bool asks) =>
        Assert.Equal(asks, AsksForLinux(SourceFile.Parse("src/A.cs", text).Tree));

    private static IEnumerable<MethodDeclarationSyntax> Imports(SourceFile file) =>
        file.Tree.DescendantNodes().OfType<MethodDeclarationSyntax>()
        .Where(static method => s_imports.Any(name => Has(method, name, null)));

    private static IEnumerable<string> Unmarked(SourceFile file) => Imports(file)
        .Where(static method => !method.AncestorsAndSelf().OfType<MemberDeclarationSyntax>()
            .Any(static member => Has(member, "SupportedOSPlatform", "\"linux\"")))
        .Select(method => $"{file.At(method)}: {method.Identifier.Text}");

    private static bool Has(MemberDeclarationSyntax member, string attribute, string? argument) => member.AttributeLists
        .SelectMany(static list => list.Attributes)
        .Any(one => one.Name.ToString() == attribute && (argument is null || one.ArgumentList?.Arguments.ToString() == argument));

    private static bool AsksForLinux(SyntaxNode tree) => tree.DescendantNodes().OfType<MemberAccessExpressionSyntax>()
        .Any(static access => access.Name.Identifier.Text is "IsLinux" or "IsOSPlatform");
}
