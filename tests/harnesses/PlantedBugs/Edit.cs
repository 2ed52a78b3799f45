using System.Text.RegularExpressions;

namespace Ambrosia.PlantedBugs;

/// <summary>A place in a source file: lines as they stand there, and as they stand with the bug.</summary>
internal sealed partial record Edit(string File, IReadOnlyList<string> Before, IReadOnlyList<string> After)
{
    /// <summary>The source with the bug in it. The place must be there exactly once, whatever its indentation.</summary>
    public List<string> Apply(IReadOnlyList<string> source, string bug)
    {
        int[] places = [.. Enumerable.Range(0, Math.Max(0, source.Count - Before.Count + 1)).Where(start => IsAt(source, start))];
        if (places.Length != 1)
        {
            throw new BugFileException(
                $"{bug} does not fit any more: its lines stand {places.Length} times in {File}, beginning with '{Before[0].Trim()}'.");
        }

        return [.. source.Take(places[0]), .. After.Select(line => Expand(line.Replace("BUG", $"IS({bug})", StringComparison.Ordinal))),
            .. source.Skip(places[0] + Before.Count)];
    }

    // IS(name) is also how a bug refers to another one that has changed the same line before it.
    private static string Expand(string line) => Switch().Replace(line, "global::Ambrosia.Planted.PlantedBug.Is(\"$1\")");

    private bool IsAt(IReadOnlyList<string> source, int start)
    {
        for (int i = 0; i < Before.Count; i++)
        {
            if (source[start + i].Trim() != Expand(Before[i]).Trim())
            {
                return false;
            }
        }

        return true;
    }

    [GeneratedRegex(@"\bIS\(([a-z0-9-]+)\)")]
    private static partial Regex Switch();
}
