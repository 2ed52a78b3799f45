using System.Text.RegularExpressions;

namespace Ambrosia.Architecture.Tests;

/// <summary>What is written for people is finished, and leads where it says.</summary>
public sealed partial class TextTests
{
    private static readonly string[] s_folders = ["src", "tests", "samples", "bench", "docs", "deploy", "packaging", ".ci"];

    public static TheoryData<string> Pages() =>
        new(new[] { "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md" }.Concat(Repository.Files("docs", "*.md")));

    [Theory]
    [MemberData(nameof(Pages))]
    public void Links_of_a_page_lead_to_files_and_headings_that_are_there(string page)
    {
        List<string> broken = [];
        foreach (Match link in Link().Matches(Page.WithoutCode(Repository.Text(page))))
        {
            string[] target = link.Groups[1].Value.Split('#', 2);
            string path = target[0].Length == 0 ? page : Normal(Path.Combine(Path.GetDirectoryName(page) ?? "", target[0]));
            bool exists = Path.Exists(Repository.PathOf(path));
            bool hasHeading = exists
                && (target.Length == 1 || !path.EndsWith(".md", StringComparison.Ordinal) || Page.Anchors(path).Contains(target[1]));
            if (!hasHeading)
            {
                broken.Add(link.Groups[1].Value);
            }
        }

        Assert.True(broken.Count == 0, $"{page} leads nowhere: {string.Join(", ", broken)}");
    }

    [Fact]
    public void Nothing_is_marked_as_unfinished()
    {
        string[] marks = ["TO" + "DO", "FIX" + "ME", "HA" + "CK"];
        string[] found = [.. Sources().SelectMany(path => Lines(path)
            .Where(line => marks.Any(mark => Regex.IsMatch(line.Text, $@"\b{mark}\b")))
            .Select(line => $"{path}:{line.Number}: {line.Text.Trim()}"))];
        Assert.True(found.Length == 0, string.Join("\n", found));
    }

    [Fact]
    public void No_test_is_skipped()
    {
        string[] found = [.. Repository.Files("tests", "*.cs").SelectMany(static path => Lines(path)
            .Where(static line => SkippedTest().IsMatch(line.Text))
            .Select(line => $"{path}:{line.Number}"))];
        Assert.True(found.Length == 0, $"A missing tool must fail: {string.Join(", ", found)}");
    }

    [Fact]
    public void No_text_names_a_place_on_somebodys_machine()
    {
        // Put together here, because this file is searched, too.
        string[] places = ["/wo" + "rk/", "/fa" + "rm/", "api.nu" + "get.org", "registry.npm" + "js.org"];
        string[] found = [.. Sources().SelectMany(path => Lines(path)
            .Where(line => places.Any(place => line.Text.Contains(place, StringComparison.OrdinalIgnoreCase)))
            .Select(line => $"{path}:{line.Number}: {line.Text.Trim()}"))];
        Assert.True(found.Length == 0, string.Join("\n", found));
    }

    [Fact]
    public void The_glossary_has_every_word_of_the_design_once()
    {
        string[] words = [.. Entry().Matches(Repository.Text("docs/guide/glossary.md")).Select(static match => match.Groups[1].Value)];
        Assert.Equal(words.Distinct(), words);
        foreach (string word in (string[])["immortal", "coordinator", "binding", "app", "LSN", "epoch", "watermark", "trim", "checkpoint",
            "impulse", "fork", "turn", "catalog", "rebase"])
        {
            Assert.Contains(word, words);
        }
    }

    private static IEnumerable<string> Sources() =>
        s_folders.SelectMany(static folder => Repository.Files(folder))
        .Concat(["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "test.sh", "pack.sh"])
            .Where(static path =>
                Path.GetExtension(path) is ".cs" or ".md" or ".sh" or ".props" or ".targets" or ".csproj" or ".py" or ".js" or ".ts" or "");

    private static IEnumerable<(int Number, string Text)> Lines(string path) =>
        File.ReadLines(Repository.PathOf(path)).Select(static (text, index) => (index + 1, text));

    private static string Normal(string path) => Path.GetRelativePath(Repository.Root, Path.GetFullPath(Repository.PathOf(path)));

    [GeneratedRegex(@"\]\((?!https?:|mailto:)([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"^\*\*(.+?)\*\*", RegexOptions.Multiline)]
    private static partial Regex Entry();

    [GeneratedRegex(@"\bSkip\s*=\s*""")]
    private static partial Regex SkippedTest();
}
