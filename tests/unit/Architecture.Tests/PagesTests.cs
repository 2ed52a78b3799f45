using System.Text.RegularExpressions;

namespace Ambrosia.Architecture.Tests;

/// <summary>The documentation lies on four shelves, is listed, and is written for those who use it.</summary>
public sealed partial class PagesTests
{
    private const string Index = "docs/README.md";
    private const string Here = "/PagesTests.cs"; // Says them all.
    private const int MostWords = 30;

    private static readonly string[] s_shelves = ["guide", "operate", "internals", "lab"];
    private static readonly string[] s_forUsers = ["guide", "operate"];

    // One word per thing: these had another one. What is left of them is names of options.
    private static readonly string[] s_droppedEverywhere =
    [
        @"behind (?:\w+ ){0,2}(?:record|message|checkpoint)s?", "whoever", "he", "his", "him", "side lock", "obituary",
        """(?<![-"])(?:take-over|(?-i:takeover))""", "(?<!be )passed over|(?:passes|passing) over", "strangers?",
    ];

    // On pages for users, and in src. A sample may have a desk.
    private static readonly string[] s_dropped = [.. s_droppedEverywhere, "weighed", "spared", "desk", "seat"];

    // A place in the log or on a command line is after another one; a peer or a replica may be behind it.
    private static readonly string[] s_droppedOnPages = [.. s_dropped, "(?<!back |far |is |are )behind (?:it|that|which|what|them|--)"];

    // In src, a "who" is a person; a replica is promoted, an app replaced.
    private static readonly string[] s_droppedInCode =
        [.. s_dropped, "(?:take|takes|taking|taken|took) over", "(?:for|of|by|than) whom?"];
    private static readonly string[] s_droppedNamesEverywhere =
        ["Stranger", "stranger", "PassedOver", "PassOver", "TookOver", "Whoever", "whoever"];

    private static readonly string[] s_droppedNames =
        [
        .. s_droppedNamesEverywhere, "Obituar", "Painter", "SideLock", "Desk", "Visitor", "Weighed", "Spared",
        "AppPosition", "AppDone", "FirstUnfinished",
    ];

    public static TheoryData<string> PagesForUsers() => [.. s_forUsers.SelectMany(PagesOf)];

    public static TheoryData<string> PagesOfTheLab() => [.. PagesOf("lab")];

    [Fact]
    public void Every_page_is_on_a_shelf()
    {
        string[] elsewhere = [.. Pages().Where(static page => page != Index && !s_shelves.Contains(page.Split('/')[1]))];
        Assert.True(elsewhere.Length == 0, $"On none of the shelves {string.Join(", ", s_shelves)}: {string.Join(", ", elsewhere)}");
        Assert.All(s_shelves, static shelf => Assert.NotEmpty(PagesOf(shelf)));
    }

    [Fact] // Comments cite a page by its name alone.
    public void No_two_pages_have_one_name() =>
        Assert.Empty(Pages().GroupBy(static page => Path.GetFileName(page)).Where(static pages => pages.Count() > 1)
            .SelectMany(static pages => pages));

    [Fact]
    public void The_index_has_a_line_for_every_page()
    {
        string[] listed = [.. Row().Matches(Repository.Text(Index)).Select(static row => $"docs/{row.Groups[1].Value}")
            .Order(StringComparer.Ordinal)];
        Assert.Equal(Pages().Where(static page => page != Index).Order(StringComparer.Ordinal), listed);
    }

    [Fact]
    public void The_readme_leads_to_the_first_shelf_and_to_the_index()
    {
        string readme = Repository.Text("README.md");
        Assert.All(PagesOf("guide").Append(Index), page => Assert.Contains($"]({page})", readme, StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(PagesForUsers))]
    public void No_sentence_for_users_is_longer_than_can_be_read_at_once(string page)
    {
        string[] longOnes = [.. Sentences.Of(Repository.Text(page))
            .Select(static one => (one.Line, one.Text, Words: Sentences.Words(one.Text)))
            .Where(static one => one.Words > MostWords)
            .Select(one => $"{page}:{one.Line} ({one.Words} words): {one.Text}")];
        Assert.True(longOnes.Length == 0, $"More than {MostWords} words. Make two sentences of each:\n{string.Join("\n", longOnes)}");
    }

    [Theory]
    [MemberData(nameof(PagesForUsers))]
    public void A_page_for_users_knows_neither_rule_ids_nor_tests_of_the_tests(string page)
    {
        string[] found = [.. Lines(page).Where(static line => IsForDevelopers(line.Text)).Select(static line => line.Place)];
        Assert.True(found.Length == 0, $"This belongs into docs/internals: {string.Join(", ", found)}");
    }

    [Theory]
    [InlineData("An effect has a key (E3).", true)]
    [InlineData("as H5e and G12 have it", true)]
    [InlineData("a planted bug is found", true)]
    [InlineData("IC-1036, AMB101, `D8` and SHA-256 are other things", false)]
    public void A_rule_id_is_found(string line, bool found) => Assert.Equal(found, IsForDevelopers(line));

    [Theory]
    [MemberData(nameof(PagesForUsers))]
    public void A_page_for_users_has_none_of_the_words_that_were_dropped(string page)
    {
        string[] found = [.. Lines(page).Where(static line => !IsProgramsOwn(line.Text))
            .SelectMany(static line => Dropped(line.Text).Select(word => $"{line.Place}: {word}"))];
        Assert.True(found.Length == 0, $"docs/guide/glossary.md has the word to use:\n{string.Join("\n", found)}");
    }

    [Theory]
    [InlineData("src")]
    [InlineData("tests")]
    [InlineData("samples")]
    [InlineData("bench")]
    [InlineData("deploy")]
    [InlineData("packaging")]
    public void Code_has_none_of_the_words_that_were_dropped_there(string folder)
    {
        bool ships = folder == "src";
        Regex words = Words(ships ? s_droppedInCode : s_droppedEverywhere);
        var names = new Regex($@"\b\w*(?:{string.Join('|', ships ? s_droppedNames : s_droppedNamesEverywhere)})\w*\b");
        string[] found = [.. Repository.Files(folder)
            .Where(static path => Path.GetExtension(path) is ".cs" or ".bugs" or ".mjs" or ".py" or ".js" or ".html" or ".yaml" or ".sh")
            .Where(static path => !path.EndsWith(Here, StringComparison.Ordinal))
            .SelectMany(Lines)
            .SelectMany(line => words.Matches(line.Text).Concat(names.Matches(line.Text)).Select(word => $"{line.Place}: {word.Value}"))];
        Assert.True(found.Length == 0, $"docs/guide/glossary.md has the word to use:\n{string.Join("\n", found)}");
    }

    [Fact]
    public void Pages_for_developers_have_none_of_the_words_that_were_dropped_there()
    {
        Regex words = Words(s_droppedEverywhere);
        string[] found = [.. PagesOf("internals").SelectMany(Lines)
            .SelectMany(line => words.Matches(Code().Replace(line.Text, "")).Select(word => $"{line.Place}: {word.Value}"))];
        Assert.True(found.Length == 0, $"docs/guide/glossary.md has the word to use:\n{string.Join("\n", found)}");
    }

    [Theory]
    [InlineData("Whoever looks at his log", 2)]
    [InlineData("what lies behind a later record", 1)]
    [InlineData("`--take-over` asks", 0)]
    [InlineData("a damaged one is passed over by a stranger after a takeover", 3)]
    [InlineData("memory must be passed over a socket, in one pass over the bytes", 0)]
    [InlineData("the seating of this desktop, and the history", 0)]
    public void A_dropped_word_is_found(string line, int found) => Assert.Equal(found, Dropped(line).Count());

    [Theory]
    [MemberData(nameof(PagesOfTheLab))]
    public void A_page_of_the_lab_says_first_from_when_it_is(string page) =>
        Assert.Matches(@"\b(January|February|March|April|May|June|July|August|September|October|November|December) 20\d\d\b",
            string.Join(' ', Lines(page).Take(4).Select(static line => line.Text)));

    private static IEnumerable<string> Pages() => Repository.Files("docs", "*.md");

    private static IEnumerable<string> PagesOf(string shelf) => Repository.Files($"docs/{shelf}", "*.md");

    // Without blocks of code: what a program prints is the program's.
    private static IEnumerable<(string Place, string Text)> Lines(string page) =>
        CodeBlock().Replace(Repository.Text(page), static block => new string('\n', block.Value.Count(static c => c == '\n')))
            .Split('\n').Select((text, index) => ($"{page}:{index + 1}", text));

    // Rows of options and of codes: the program's texts, which another test compares.
    private static bool IsProgramsOwn(string line) =>
        line.StartsWith("| `--", StringComparison.Ordinal) || line.StartsWith("| IC-", StringComparison.Ordinal);

    private static bool IsForDevelopers(string line) => RuleId().IsMatch(Code().Replace(line, ""));

    private static Regex Words(string[] words) => new($@"\b(?:{string.Join('|', words)})\b", RegexOptions.IgnoreCase);

    private static IEnumerable<string> Dropped(string line)
    {
        string text = Code().Replace(line, "");
        return s_droppedOnPages.Where(word => Regex.IsMatch(text, $@"\b{word}\b", RegexOptions.IgnoreCase));
    }

    [GeneratedRegex(@"^\| \[[a-z-]+\.md\]\(([a-z/-]+\.md)\) \| [^|]+ \|$", RegexOptions.Multiline)]
    private static partial Regex Row();

    [GeneratedRegex(@"\b[DEGH]\d{1,2}[a-e]?\b|[Pp]lanted bug")]
    private static partial Regex RuleId();

    [GeneratedRegex("^ *```.*?^ *```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex CodeBlock();

    [GeneratedRegex("`[^`]*`")]
    private static partial Regex Code();
}
