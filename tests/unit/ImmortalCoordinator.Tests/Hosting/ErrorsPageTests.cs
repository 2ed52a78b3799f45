using System.Globalization;
using System.Text.RegularExpressions;
using Ambrosia.Coordinator.Errors;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>docs/operate/errors.md says of every code what it means, and of none that does not exist.</summary>
public sealed partial class ErrorsPageTests
{
    // These meet no failure: they ask for a code.
    private static readonly string[] s_explaining = ["ErrorsPageTests.cs", "ExplainTests.cs"];

    private static readonly string[] s_page = File.ReadAllLines(Path.Combine(Repository.Root, "docs/operate/errors.md"));

    // What a log event says is a constant of its attribute, so the code stands there as text; everywhere else it is named. The catalogue
    // and what explains it count for no use.
    private static readonly (string Path, string Text, bool IsLogEvent)[] s_lines = [.. Repository.Sources("src")
        .Where(static path => !path.Contains("/Primitives/Errors/", StringComparison.Ordinal)
            && !path.Contains("/Ambrosia/Explaining/", StringComparison.Ordinal))
        .SelectMany(static path => Lines(path))];

    private static readonly Type[] s_catalogue = [.. typeof(ErrorCode).Assembly.GetTypes()
        .Where(static type =>
            type is { Namespace: "Ambrosia.Primitives.Errors", IsAbstract: true, IsSealed: true } && Codes(type).Length > 0)];

    [Fact]
    public void Every_code_stands_in_the_page_once_in_order()
    {
        string[] documented = [.. s_page.Where(line => line.StartsWith("| IC-", StringComparison.Ordinal))
            .Select(line => line.Split('|')[1].Trim())];
        Assert.Equal(ErrorCatalogue.All.Select(static code => code.Id), documented);
        Assert.Equal(documented.Distinct().Order(StringComparer.Ordinal), documented);
    }

    [Fact]
    public void Every_code_of_the_catalogue_is_used_by_the_source_and_the_reverse()
    {
        var named = s_catalogue.SelectMany(Codes).ToDictionary(static code => code.Name, static code => code.Code.Id);
        HashSet<string> used =
        [
            .. s_lines.SelectMany(line => CodeName().Matches(line.Text).Select(match => named.GetValueOrDefault(match.Value, match.Value))),
            .. s_lines.Where(static line => line.IsLogEvent).SelectMany(static line => Code().Matches(line.Text))
            .Select(static match => match.Value),
        ];
        Assert.Equal(ErrorCatalogue.All.Select(static code => code.Id), used.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void A_code_is_written_as_text_in_log_events_only()
    {
        string[] found = [.. s_lines.Where(static line => !line.IsLogEvent && Code().IsMatch(WithoutComment(line.Text)))
            .Select(static line => $"{line.Path}: {line.Text.Trim()}")];
        Assert.True(found.Length == 0, "Name the code of the catalogue instead:\n" + string.Join('\n', found));
    }

    [Fact]
    public void Every_declared_code_is_in_the_catalogue_once()
    {
        Assert.Equal(s_catalogue.SelectMany(Codes).Select(static code => code.Code.Id).Order(StringComparer.Ordinal),
            ErrorCatalogue.All.Select(static code => code.Id));
        Assert.All(ErrorCatalogue.All, static code => Assert.Same(code, ErrorCatalogue.Find(code.Id)));
    }

    [Fact]
    public void Every_code_that_this_machine_can_meet_stands_in_a_test()
    {
        string[] elsewhere = ["IC-2043"]; // It needs another operating system.
        string tests = string.Join('\n', Repository.Sources("tests").Where(static path => !s_explaining.Contains(Path.GetFileName(path)))
            .Select(File.ReadAllText));
        string[] untested = [.. s_page.SelectMany(static line => Code().Matches(line)).Select(static match => match.Value).Distinct()
            .Where(code => !tests.Contains(code, StringComparison.Ordinal))];
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
        string[] documented = [.. s_page.Select(line => ExitRow().Match(line)).Where(match => match.Success)
            .Select(match => $"{match.Groups[1].Value} {match.Groups[2].Value}")];
        Assert.Equal(Enum.GetValues<ExitCode>().Select(code => $"{(int)code} {code}").Order(StringComparer.Ordinal),
            documented.Order(StringComparer.Ordinal));
    }

    private static IEnumerable<(string Path, string Text, bool IsLogEvent)> Lines(string path)
    {
        bool inAttribute = false;
        foreach (string line in File.ReadLines(path))
        {
            inAttribute |= line.Contains("[LoggerMessage(", StringComparison.Ordinal);
            yield return (path, line, inAttribute);
            inAttribute &= !line.TrimEnd().EndsWith(")]", StringComparison.Ordinal);
        }
    }

    private static string WithoutComment(string line) =>
        line.TrimStart().StartsWith("//", StringComparison.Ordinal) ? "" : line.Split(" // ")[0];

    private static (string Name, ErrorCode Code)[] Codes(Type type) =>
        [.. type.GetProperties().Where(static property => property.PropertyType == typeof(ErrorCode))
            .Select(property => ($"{type.Name}.{property.Name}", (ErrorCode)property.GetValue(null)!))];

    [GeneratedRegex(@"\b(Process|Argument|Store|Output|Leadership|Peer|Version|Replay|Ingress)Errors\.(?!All\b)\w+")]
    private static partial Regex CodeName();

    [GeneratedRegex("IC-[0-9]{4}")]
    private static partial Regex Code();

    [GeneratedRegex(@"^\| (\d+) \| (\w+) \|")]
    private static partial Regex ExitRow();
}
