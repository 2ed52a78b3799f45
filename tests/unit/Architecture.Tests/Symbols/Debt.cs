namespace Ambrosia.Architecture.Tests.Symbols;

/// <summary>
/// What a rule still allows, as a file of lines that only shrinks: what is new is refused, and what is mended must leave the list, so that
/// it cannot come back.
/// </summary>
/// <param name="Name">The file below tests/unit/Architecture.Tests/Debts, without its extension.</param>
internal sealed record Debt(string Name)
{
    private string File => $"tests/unit/Architecture.Tests/Debts/{Name}.txt";

    /// <summary>Fails unless exactly what the list holds was found.</summary>
    /// <param name="found">A line of the list each, with the places where it was seen.</param>
    /// <param name="rule">What to do instead.</param>
    public void RequireOnly(IEnumerable<(string Line, string At)> found, string rule)
    {
        ILookup<string, string> seen = found.ToLookup(static one => one.Line, static one => one.At);
        string[] allowed = [.. Repository.Text(File).Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Where(static line => line[0] != '#')];
        string[] news = [.. seen.Where(one => !allowed.Contains(one.Key))
            .Select(static one => $"{one.Key}\n    {string.Join("\n    ", one.Take(3))}")];
        string[] mended = [.. allowed.Where(line => !seen.Contains(line))];
        Assert.True(news.Length == 0, $"{rule}\n{string.Join("\n", news)}");
        Assert.True(mended.Length == 0, $"These are mended. Take them out of {File}:\n{string.Join("\n", mended)}");
    }
}
