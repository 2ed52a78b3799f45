using System.Collections.Concurrent;
using System.Text.RegularExpressions;

namespace Ambrosia.Architecture.Tests;

/// <summary>A rule that a comment rests on can be read up in this repository.</summary>
public sealed partial class CitationTests
{
    private static readonly string[] s_folders = ["src", "tests", "samples", "bench", "deploy"];
    private static readonly Lazy<string[]> s_pages = new(static () => [.. Repository.Files("docs", "*.md")]);
    private static readonly ConcurrentDictionary<string, string> s_texts = [];
    private static readonly string[] s_kinds = [".cs", ".py", ".sh", ".mjs", ".js", ".c", ".bugs", ".props", ".targets", ".csproj"];

    [Fact]
    public void Every_citation_of_a_page_leads_to_a_page_and_a_rule_in_it()
    {
        var cited = new HashSet<string>();
        string[] broken = [.. Lines().SelectMany(line => Broken(line.Text, cited).Select(what => $"{line.Place}: {what}"))];
        Assert.True(broken.Length == 0, $"cited and not there:\n{string.Join("\n", broken)}");
        Assert.Contains("docs/internals/exactly-once.md#h10", cited); // Something was looked at.
        Assert.Contains("docs/internals/architecture.md#g3", cited);
    }

    [Theory]
    [InlineData("/// (docs/internals/exactly-once.md H10)", 0)]
    [InlineData("// exactly-once.md H5e, H10 and H99: a list", 1)]
    [InlineData("// docs/internals/exactly-once.md#sender-on-answer.", 0)]
    [InlineData("// docs/internals/exactly-once.md#sender-on-anything", 1)]
    [InlineData("// docs/internals/effect-rules.md E19", 0)]
    [InlineData("// docs/internals/effect-rules.md E99", 1)]
    [InlineData("// no-such-page.md says so", 1)]
    [InlineData("// docs/exactly-once.md H10, on no shelf", 1)]
    [InlineData("// docs/guide/exactly-once.md, on another shelf", 1)]
    [InlineData("// docs/internals/protocol.md section 9, docs/internals/log-format.md, section 2", 0)]
    [InlineData("// docs/internals/protocol.md section 9.3 and docs/internals/protocol.md section 99", 1)]
    [InlineData("/// <summary>G3, G15: durable before visible.</summary>", 1)]
    [InlineData("/// an epoch that nobody had before (H4, D8, H99)", 1)]
    [InlineData("[Fact] // E11, E99", 1)]
    [InlineData("/// who is told (X3, X99)", 1)]
    [InlineData("string s = value.ToString(\"G4\"); // H1: nothing is wrong here", 0)]
    public void A_citation_that_leads_nowhere_is_found(string line, int broken) => Assert.Equal(broken, Broken(line, []).Count());

    [Fact]
    public void Nothing_cites_a_page_that_is_not_in_the_repository()
    {
        string[] found = [.. Lines(["src", "tests", "samples", "bench", "deploy", "docs", ".ci"], [.. s_kinds, ".md", ""])
            .Where(line => IsFromOutside(line.Text))
            .Select(line => $"{line.Place}: {line.Text.Trim()}")];
        Assert.True(found.Length == 0, $"Not in docs/:\n{string.Join("\n", found)}");
    }

    // Put together here, because this file is searched, too.
    [Theory]
    [InlineData("PROTO", "COL H5e", true)]
    [InlineData("PROTO", "COL.md", true)]
    [InlineData("RELIA", "BILITY b17", true)]
    [InlineData("DE", "SIGN 14", true)]
    [InlineData("FEA", "TURES 43-47", true)]
    [InlineData("EFF", "ECTS section 2", true)]
    [InlineData("(feat", "ures 9, 11)", true)]
    [InlineData("(scen", "ario T14)", true)]
    [InlineData("A PROTO", "COL is a protocol", false)]
    [InlineData("IN", "GRESS", false)]
    public void A_citation_of_such_a_page_is_found(string one, string two, bool outside) => Assert.Equal(outside, IsFromOutside(one + two));

    private static bool IsFromOutside(string line) => OutsidePage().IsMatch(line) || NumberedFeature().IsMatch(line);

    private static IEnumerable<string> Broken(string line, HashSet<string> cited)
    {
        foreach (Match match in Citation().Matches(line))
        {
            if (PageOf(match) is not { } page)
            {
                // Any page of the repository may be named by its whole path; a bare name is one of a shelf of docs/.
                if (match.Groups["shelf"].Success || !IsElsewhere(line, match))
                {
                    yield return match.Value;
                }

                continue;
            }

            foreach (string anchor in AnchorsOf(match))
            {
                cited.Add($"{page}#{anchor}");
                if (!IsIn(page, anchor))
                {
                    yield return $"{page} {anchor}";
                }
            }
        }

        string comment = Comment().Match(Citation().Replace(line, "")).Value;
        foreach (Match rule in Rule().Matches(comment))
        {
            string page = rule.Value[0] switch
            {
                'G' => "docs/internals/architecture.md",
                'E' => "docs/internals/effect-rules.md",
                'X' => "docs/internals/outside-calls.md",
                _ => "docs/internals/exactly-once.md",
            };
            cited.Add($"{page}#{rule.Value.ToLowerInvariant()}");
            if (!IsIn(page, rule.Value.ToLowerInvariant()))
            {
                yield return $"{page} {rule.Value}";
            }
        }
    }

    // A page has its name alone: PagesTests holds that.
    private static string? PageOf(Match citation)
    {
        string name = citation.Groups["page"].Value;
        return citation.Groups["shelf"] is { Success: true } shelf
            ? File.Exists(Repository.PathOf(shelf.Value + name)) ? shelf.Value + name : null
            : s_pages.Value.SingleOrDefault(page => page.EndsWith('/' + name, StringComparison.Ordinal));
    }

    private static IEnumerable<string> AnchorsOf(Match citation)
    {
        if (citation.Groups["anchor"] is { Success: true } anchor)
        {
            yield return anchor.Value;
        }

        foreach (Match rule in AnyRule().Matches(citation.Groups["rules"].Value))
        {
            yield return rule.Value.ToLowerInvariant();
        }

        if (citation.Groups["section"] is { Success: true } section)
        {
            yield return $"section {section.Value}";
        }
    }

    private static bool IsIn(string page, string anchor) => anchor.StartsWith("section ", StringComparison.Ordinal)
        ? Regex.IsMatch(TextOf(page), $@"^#+ {Regex.Escape(anchor["section ".Length..])}\.? ", RegexOptions.Multiline)
        : Page.Anchors(page).Contains(anchor)
            || TextOf(page).Contains($"**{anchor.ToUpperInvariant()}**", StringComparison.Ordinal); // As lists have it.

    private static string TextOf(string page) => s_texts.GetOrAdd(page, Repository.Text);

    private static bool IsElsewhere(string line, Match match) =>
        match.Index > 0 && line[match.Index - 1] is '/' or '*' or '}' or '\\'
        || match.Groups["page"].Value is "README.md" or "CHANGELOG.md";

    private static IEnumerable<(string Place, string Text)> Lines(string[]? folders = null, string[]? kinds = null) =>
        (folders ?? s_folders).SelectMany(static folder => Repository.Files(folder))
            .Where(path => (kinds ?? s_kinds).Contains(Path.GetExtension(path))
                && !path.EndsWith("/CitationTests.cs", StringComparison.Ordinal))
            .SelectMany(static path => File.ReadLines(Repository.PathOf(path)).Select((text, index) => ($"{path}:{index + 1}", text)));

    [GeneratedRegex(@"(?<shelf>docs/([a-z]+/)?)?\b(?<page>[a-z][a-z-]*\.md)(#(?<anchor>[a-z0-9-]*[a-z0-9])|,? section (?<section>\d+(\.\d+)?)|(?<rules>( |, | and | to )[A-Z]\d{1,2}[a-e]?\b)+)?")]
    private static partial Regex Citation();

    [GeneratedRegex(@"(//|^\s*#|^\s*\*).*$")]
    private static partial Regex Comment();

    [GeneratedRegex(@"\b[A-Z]\d{1,2}[a-e]?\b")]
    private static partial Regex AnyRule();

    [GeneratedRegex(@"\b[HDGEX]\d{1,2}[a-e]?\b")]
    private static partial Regex Rule();

    [GeneratedRegex(@"\b(PROTOCOL|RELIABILITY|DESIGN|FEATURES|PERFORMANCE|DURABLE-TASKS|EFFECTS|INGRESS|MOVES|LAYOUT|STYLE)(\.md\b|:|,? (section )?[A-Z]?[a-z]?\d+|,? section|,? C,)")]
    private static partial Regex OutsidePage();

    [GeneratedRegex(@"\((features?|scenarios?|faults?) (T|b)?\d|[;,] (scenarios?|fault) [Tb]\d")]
    private static partial Regex NumberedFeature();
}
