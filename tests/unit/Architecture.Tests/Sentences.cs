using System.Text.RegularExpressions;

namespace Ambrosia.Architecture.Tests;

/// <summary>
/// The sentences of a page as a reader meets them. Code blocks, tables, headings, pictures and comments are none. An item of a list begins
/// a sentence; a colon or semicolon ends none. What stands in backquotes counts as one word, and so does the name of a page; a link's
/// address counts as none.
/// </summary>
internal static partial class Sentences
{
    private static readonly string[] s_abbreviations = ["e.g.", "i.e.", "etc.", "vs.", "cf."];

    /// <summary>Each sentence with the line at which its paragraph begins.</summary>
    public static IEnumerable<(int Line, string Text)> Of(string page) =>
        Paragraphs(page).SelectMany(static paragraph => Split(paragraph.Text).Select(sentence => (paragraph.Line, sentence)));

    public static int Words(string sentence) => sentence.Split(' ').Count(static word => word.Any(char.IsLetterOrDigit));

    private static IEnumerable<(int Line, string Text)> Paragraphs(string page)
    {
        List<string> gathered = [];
        int line = 0, start = 0;
        string? fence = null;
        bool inList = false, afterBlank = true;
        foreach (string text in Comment().Replace(page, static comment => new string('\n', comment.Value.Count(static c => c == '\n')))
            .Split('\n'))
        {
            line++;
            string trimmed = text.Trim();
            bool isFence = trimmed.StartsWith("```", StringComparison.Ordinal);
            bool isIndentedCode = !inList && (afterBlank || gathered.Count == 0) && text.StartsWith("    ", StringComparison.Ordinal);
            if (isFence || fence is not null || isIndentedCode || NoProse().IsMatch(trimmed))
            {
                if (gathered.Count > 0)
                {
                    yield return (start, string.Join(' ', gathered));
                    gathered.Clear();
                }

                fence = isFence ? fence is null ? trimmed : null : fence;
                inList &= trimmed.Length == 0 || fence is not null || isFence || text[0] == ' ';
                afterBlank = trimmed.Length == 0 || isIndentedCode;
                continue;
            }

            Match item = Item().Match(trimmed);
            if (item.Success && gathered.Count > 0)
            {
                yield return (start, string.Join(' ', gathered));
                gathered.Clear();
            }

            inList = item.Success || (inList && (gathered.Count > 0 || text.StartsWith(' ')));
            start = gathered.Count == 0 ? line : start;
            gathered.Add(item.Success ? item.Groups[1].Value : trimmed);
            afterBlank = false;
        }

        if (gathered.Count > 0)
        {
            yield return (start, string.Join(' ', gathered));
        }
    }

    private static IEnumerable<string> Split(string paragraph)
    {
        string text = Link().Replace(NamedPage().Replace(Picture().Replace(paragraph, ""), "PAGE"), "$1");
        text = Blanks().Replace(Code().Replace(text, "CODE"), " ").Trim();
        int begin = 0;
        foreach (Match end in End().Matches(text))
        {
            string sentence = text[begin..end.Index] + end.Value.TrimEnd();
            string last = sentence[(sentence.LastIndexOf(' ') + 1)..];
            if (!s_abbreviations.Contains(last.TrimStart('('), StringComparer.OrdinalIgnoreCase))
            {
                yield return sentence;
                begin = end.Index + end.Length;
            }
        }

        if (begin < text.Length)
        {
            yield return text[begin..];
        }
    }

    // A full stop, with what closes behind it, before anything but a small letter. Three of them are a pause.
    [GeneratedRegex("""(?<!\.\.)(?<=[^\s.])[.!?]["')*_]* (?!\p{Ll})""")]
    private static partial Regex End();

    [GeneratedRegex(@"^$|^#+ |^\||^<.*>$|^(---|\*\*\*)$")]
    private static partial Regex NoProse();

    [GeneratedRegex(@"^(?:[-*]|\d+\.) +(.*)$")]
    private static partial Regex Item();

    [GeneratedRegex(@"!\[[^\]]*\]\([^)]*\)")]
    private static partial Regex Picture();

    [GeneratedRegex(@"\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"\[[a-z-]+\.md\]\([^)]*\)")]
    private static partial Regex NamedPage();

    [GeneratedRegex("(`+).+?\\1")]
    private static partial Regex Code();

    [GeneratedRegex(" {2,}")]
    private static partial Regex Blanks();

    [GeneratedRegex("<!--.*?-->", RegexOptions.Singleline)]
    private static partial Regex Comment();
}
