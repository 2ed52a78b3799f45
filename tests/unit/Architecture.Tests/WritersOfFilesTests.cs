using System.Diagnostics;
using System.Text.RegularExpressions;

namespace Ambrosia.Architecture.Tests;

/// <summary>A test that is told to write what it expects cannot fail: test.sh does not run with the variables that tell it so.</summary>
public sealed partial class WritersOfFilesTests
{
    private const int Usage = 64;
    private static readonly string[] s_name = ["tests/support/run/steps.sh", "tests/unit/Architecture.Tests/WritersOfFilesTests.cs"];

    [Fact]
    public void Test_sh_names_every_variable_that_makes_a_test_write_what_it_expects()
    {
        string[] writers = [.. WritersOf(Repository.Files("tests").Where(path => IsCode(path)
            && !s_name.Contains(path)).Select(Repository.Text))];
        Assert.Contains("AMBROSIA_UPDATE_GOLDEN", writers); // Else the pattern finds nothing.

        Assert.Equal(writers, Refused());
    }

    [Fact]
    public async Task Test_sh_refuses_to_run_with_each_of_them()
    {
        foreach (string variable in Refused())
        {
            (int code, string errors) = await RunAsync(variable, "1");

            Assert.Equal(Usage, code);
            Assert.Contains($"{variable} is set", errors, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Test_sh_runs_when_one_of_them_is_set_to_nothing() => Assert.Equal((0, ""), await RunAsync(Refused()[0], ""));

    private static IEnumerable<string> WritersOf(IEnumerable<string> texts) =>
        texts.SelectMany(text => Variable().Matches(text)).Select(static match => match.Value)
            .Where(static name => name != "AMBROSIA_ACCEPT") // An option of apps, which no test reads (docs/guide/builds.md).
            .Distinct().Order(StringComparer.Ordinal);

    private static string[] Refused() => ListOfWriters().Match(Repository.Text("tests/support/run/steps.sh")).Groups[1].Value.Split(' ');

    private static bool IsCode(string path) => Path.GetExtension(path) is ".cs" or ".mjs" or ".py" or ".sh" or ".c";

    private static async Task<(int Code, string Errors)> RunAsync(string variable, string value)
    {
        var start = new ProcessStartInfo("bash", [Repository.PathOf("test.sh"), "--list"]) { RedirectStandardError = true,
            RedirectStandardOutput = true };
        foreach (string each in Refused())
        {
            start.Environment.Remove(each); // A run of one test by hand may have it.
        }

        start.Environment[variable] = value;
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        string errors = await process.StandardError.ReadToEndAsync();
        await output;
        await process.WaitForExitAsync();
        return (process.ExitCode, errors);
    }

    [GeneratedRegex(@"\bAMBROSIA_(?:[A-Z0-9]+_)*(?:GOLDEN|RECORD|WRITE|UPDATE|REGENERATE|ACCEPT)(?:_[A-Z0-9]+)*\b")]
    private static partial Regex Variable();

    [GeneratedRegex(@"(?m)^writers=\(([A-Z0-9_ ]+)\)$")]
    private static partial Regex ListOfWriters();
}
