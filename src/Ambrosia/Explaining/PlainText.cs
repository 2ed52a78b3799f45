using System.Text.RegularExpressions;

namespace Ambrosia.Cli.Explaining;

/// <summary>Markdown of the catalogue for a terminal.</summary>
internal static partial class PlainText
{
    /// <summary>Without marks; a link becomes its page, as seen from the folder of the project.</summary>
    public static string Of(string markdown) => Link().Replace(markdown, static link =>
    {
        string text = link.Groups["text"].Value, page = $"docs/{link.Groups["page"].Value}";
        bool inBrackets = link.Groups["bracket"].Length > 0;
        return page.StartsWith($"docs/{text}", StringComparison.Ordinal) ? inBrackets ? $"({page})" : page
            : inBrackets ? $"({text}: {page})" : $"{text} ({page})";
    }).Replace("`", "", StringComparison.Ordinal);

    /// <summary>Lines of at most so many characters, broken at spaces.</summary>
    public static IEnumerable<string> Wrapped(string text, int width)
    {
        string line = "";
        foreach (string word in text.Split(' '))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > width)
            {
                yield return line;
                line = "";
            }

            line = line.Length == 0 ? word : $"{line} {word}";
        }

        yield return line;
    }

    [GeneratedRegex(@"(?<bracket>\((?=\[[^\]]+\]\([^)]+\)\)))?\[(?<text>[^\]]+)\]\((?<page>[^)]+)\)(?(bracket)\))")]
    private static partial Regex Link();
}
