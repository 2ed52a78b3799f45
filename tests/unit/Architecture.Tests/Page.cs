using System.Collections.Concurrent;
using System.Text.RegularExpressions;

namespace Ambrosia.Architecture.Tests;

/// <summary>What a page of the documentation can be entered at.</summary>
internal static partial class Page
{
    private static readonly ConcurrentDictionary<string, HashSet<string>> s_anchors = [];

    /// <summary>Anchors of its headings, and those that it names.</summary>
    public static HashSet<string> Anchors(string page) => s_anchors.GetOrAdd(page, static page => Read(Repository.Text(page)));

    public static string WithoutCode(string text) => CodeBlock().Replace(text, "");

    private static HashSet<string> Read(string text) =>
        [.. Heading().Matches(WithoutCode(text)).Select(static match => Anchor(match.Groups[1].Value)),
         .. NamedAnchor().Matches(text).Select(static match => match.Groups[1].Value)];

    // As code hosts make them: lower case, punctuation gone, blanks to hyphens.
    private static string Anchor(string heading) => NotInAnchor().Replace(heading.Trim().ToLowerInvariant(), "").Replace(' ', '-');

    [GeneratedRegex(@"^#+ (.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex("<a (?:name|id)=\"([^\"]+)\"")]
    private static partial Regex NamedAnchor();

    [GeneratedRegex(@"[^\p{L}\p{N}\- _]")]
    private static partial Regex NotInAnchor();

    [GeneratedRegex("^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex CodeBlock();
}
