using System.Globalization;
using System.Text.RegularExpressions;
using Ambrosia.Coordinator.Errors;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>docs/operate/errors.md says of every code what it means, and of none that does not exist.</summary>
public sealed partial class ErrorsPageTests
{
    private static readonly string[] s_page = File.ReadAllLines(Path.Combine(Repository.Root, "docs/operate/errors.md"));

    [Fact]
    public void Every_code_in_the_source_stands_in_the_page_once_and_the_reverse()
    {
        string[] documented = [.. s_page.Where(line => line.StartsWith("| IC-", StringComparison.Ordinal)).Select(line => line.Split('|')[1].Trim())];
        string[] used =
        [
            .. Repository.Sources("src")
                .SelectMany(File.ReadLines)
                .Where(line => !line.TrimStart().StartsWith("///", StringComparison.Ordinal))
                .SelectMany(line => Code().Matches(line).Select(match => match.Value))
                .Distinct().Order(StringComparer.Ordinal),
        ];
        Assert.Equal(used, documented);
    }

    [Fact]
    public void Every_code_that_this_machine_can_meet_stands_in_a_test()
    {
        string[] elsewhere = ["IC-2043"]; // It needs another operating system.
        string tests = string.Join('\n', Repository.Sources("tests").Where(static path => !path.EndsWith("ErrorsPageTests.cs", StringComparison.Ordinal)).Select(File.ReadAllText));
        string[] untested = [.. s_page.SelectMany(static line => Code().Matches(line)).Select(static match => match.Value).Distinct().Where(code => !tests.Contains(code, StringComparison.Ordinal))];
        Assert.Equal(elsewhere, untested);
    }

    [Fact]
    public void Every_row_says_meaning_what_is_safe_and_what_to_do() =>
        Assert.All(s_page.Where(line => line.StartsWith("| IC-", StringComparison.Ordinal)), line =>
        {
            string[] cells = line.Split('|')[1..^1];
            Assert.Equal(5, cells.Length);
            Assert.All(cells, cell => Assert.NotEqual("", cell.Trim()));
            Assert.True(cells[1].Trim() == "–" || Enum.IsDefined((ExitCode)int.Parse(cells[1], CultureInfo.InvariantCulture)), line);
        });

    [Fact]
    public void Every_exit_code_stands_in_the_page_with_its_name()
    {
        string[] documented = [.. s_page.Select(line => ExitRow().Match(line)).Where(match => match.Success).Select(match => $"{match.Groups[1].Value} {match.Groups[2].Value}")];
        Assert.Equal(Enum.GetValues<ExitCode>().Select(code => $"{(int)code} {code}").Order(StringComparer.Ordinal), documented.Order(StringComparer.Ordinal));
    }

    [GeneratedRegex("IC-[0-9]{4}")]
    private static partial Regex Code();

    [GeneratedRegex(@"^\| (\d+) \| (\w+) \|")]
    private static partial Regex ExitRow();
}
