using System.Text.Json;
using System.Text.RegularExpressions;
using Ambrosia.Cli.Explaining;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.Cli.Tests;

/// <summary>What a line names by a code can be asked for, and the page of all codes is made of the same catalogue.</summary>
public sealed partial class ExplainTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Theory]
    [InlineData("IC-2033")]
    [InlineData("ic-2033")]
    [InlineData("2033")]
    public async Task A_code_is_explained_however_it_is_typed(string typed)
    {
        (int exit, string text, string error) = await _command.RunAsync($"explain {typed}");
        Assert.Equal((0, ""), (exit, error));
        ErrorCode code = StoreErrors.RecordUnreadable;
        Assert.StartsWith($"IC-2033: {code.Title}", text, StringComparison.Ordinal);
        Assert.Matches($@"(?m)^Meaning +{code.Meaning}$", text);
        Assert.Matches($@"(?m)^Safe +{code.Safe}$", text);
        Assert.Matches($@"(?m)^Do +{code.Advice}$", text);
        Assert.Matches(@"(?m)^Exit code +40 \(StoreDamaged\); restart without a person: no$", text);
    }

    [Fact]
    public async Task Every_code_is_explained_without_marks_of_a_page()
    {
        foreach (ErrorCode code in ErrorCatalogue.All)
        {
            (int exit, string text, _) = await _command.RunAsync($"explain {code}");
            Assert.Equal(0, exit);
            Assert.DoesNotContain('`', text);
            Assert.DoesNotContain("](", text, StringComparison.Ordinal);
            Assert.Equal(code.ExitCode is null, text.Contains("Exit code  none", StringComparison.Ordinal));
            Assert.All(text.Split('\n'), static line => Assert.True(line.Length <= 140, line));
        }
    }

    [Fact]
    public async Task Json_has_the_same_as_fields()
    {
        (int exit, string text, _) = await _command.RunAsync("explain IC-2033 --json");
        Assert.Equal(0, exit);
        JsonElement code = JsonDocument.Parse(text).RootElement;
        Assert.Equal("IC-2033", code.GetProperty("code").GetString());
        Assert.Equal(40, code.GetProperty("exitCode").GetInt32());
        Assert.Equal("StoreDamaged", code.GetProperty("exitName").GetString());
        Assert.Equal(StoreErrors.RecordUnreadable.Advice, code.GetProperty("advice").GetString());
        (_, string all, _) = await _command.RunAsync("explain --json");
        Assert.Equal(ErrorCatalogue.All.Select(static each => each.Id), JsonDocument.Parse(all).RootElement.EnumerateArray()
            .Select(static each => each.GetProperty("code").GetString()!));
    }

    [Fact]
    public async Task Without_a_code_all_are_listed_by_group()
    {
        (int exit, string text, _) = await _command.RunAsync("explain");
        Assert.Equal(0, exit);
        Assert.All(ErrorCatalogue.All, code => Assert.Matches($@"(?m)^{code} +(\d\d|-) +{Regex.Escape(code.Title)}$", text));
        Assert.All(ErrorCatalogue.Groups, group => Assert.Contains(group.Heading + "\n", text, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("IC-2037", "IC-2036")]
    [InlineData("3033", "IC-2033")]
    [InlineData("fenced", "IC-3001")]
    public async Task An_unknown_code_is_refused_with_those_near_it(string typed, string near)
    {
        (int exit, string text, string error) = await _command.RunAsync($"explain {typed}");
        Assert.Equal((66, ""), (exit, text));
        Assert.StartsWith($"There is no code '{typed}'.", error, StringComparison.Ordinal);
        Assert.Contains(near, error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("78")] // BuildRefused, of an app.
    [InlineData("137")] // Killed.
    public async Task Who_asks_for_an_exit_code_that_no_coordinator_has_is_sent_to_those_of_apps(string typed)
    {
        (int exit, string text, string error) = await _command.RunAsync($"explain {typed}");
        Assert.Equal((66, ""), (exit, text));
        Assert.StartsWith($"A coordinator never ends with {typed}. What apps end with", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_exit_code_is_explained_with_the_codes_that_lead_to_it()
    {
        (int exit, string text, _) = await _command.RunAsync("explain 75");
        Assert.Equal(0, exit);
        Assert.Contains("NumberTaken", text, StringComparison.Ordinal);
        Assert.Contains("IC-3006", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_compilers_codes_are_explained_all_of_them()
    {
        string[] rows = [.. AnalyzerRow().Matches(await File.ReadAllTextAsync(Path.Combine(Root(), "docs/guide/analyzers.md")))
            .Select(static row => row.Groups[1].Value)];
        Assert.NotEmpty(rows);
        Assert.Equal(rows.Order(StringComparer.Ordinal), CompilerMessages.All.Select(static message => message.Code));
        (int exit, string text, _) = await _command.RunAsync("explain amb025");
        Assert.Equal(0, exit);
        Assert.StartsWith("AMB025: error", text, StringComparison.Ordinal);
        Assert.Contains("[Resolver]", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_shell_completes_codes()
    {
        (_, string words, _) = await _command.RunAsync(["[suggest:12]", "explain IC-2"]);
        Assert.Contains("IC-2033", words, StringComparison.Ordinal);
        (_, string help, _) = await _command.RunAsync("explain --help");
        Assert.DoesNotContain("IC-2034", help, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_page_is_what_the_catalogue_says()
    {
        (int exit, string page, _) = await _command.RunAsync("explain --markdown");
        Assert.Equal(0, exit);
        string there = await File.ReadAllTextAsync(Path.Combine(Root(), "docs/operate/errors.md"));
        Assert.True(page == there, "docs/operate/errors.md differs from the catalogue: run packaging/write-errors-page.sh.");
        Assert.Equal(64, (await _command.RunAsync("explain IC-2033 --markdown")).Code);
    }

    private static string Root()
    {
        string folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "ambrosia.sln")))
        {
            folder = Path.GetDirectoryName(folder)!;
        }

        return folder;
    }

    [GeneratedRegex(@"(?m)^\|.*?\b(AMB\d{3}) \| (?:error|warning|info|hidden)")]
    private static partial Regex AnalyzerRow();
}
