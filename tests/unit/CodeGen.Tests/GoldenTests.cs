using System.Runtime.CompilerServices;
using Ambrosia.CodeGen.Tests.Support;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Tests;

/// <summary>
/// The generated files, compared with those kept in Golden/. After a change on purpose: run with AMBROSIA_UPDATE_GOLDEN=1, then read the
/// difference in version control.
/// </summary>
public sealed class GoldenTests
{
    public static TheoryData<string> Cases =>
        [.. Directory.EnumerateFiles(Folder(), "*.source.txt").Select(static p => Path.GetFileName(p).Split('.')[0])
            .Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Cases))]
    public void Generated_files_are_those_kept(string name)
    {
        (GeneratorDriverRunResult result, Compilation output) =
            Generation.Run(File.ReadAllText(Path.Combine(Folder(), name + ".source.txt")));
        Assert.Empty(result.Diagnostics);
        Assert.Empty(output.GetDiagnostics().Where(static d => d.Severity >= DiagnosticSeverity.Warning));

        string actual = string.Concat(result.GeneratedTrees
            .OrderBy(static t => t.FilePath, StringComparer.Ordinal)
            .Select(static t => $"===== {Path.GetFileName(t.FilePath)}\n{t.GetText()}"));
        string path = Path.Combine(Folder(), name + ".expected.txt");
        if (Environment.GetEnvironmentVariable("AMBROSIA_UPDATE_GOLDEN") == "1")
        {
            File.WriteAllText(path, actual);
        }

        Assert.True(File.Exists(path), $"{path} is missing.");
        Assert.Equal(File.ReadAllText(path), actual);
    }

    [Fact]
    public void There_are_golden_files_enough_to_cover_the_feature_list() => Assert.True(Cases.Count >= 15);

    private static string Folder([CallerFilePath] string file = "") => Path.Combine(Path.GetDirectoryName(file)!, "Golden");
}
