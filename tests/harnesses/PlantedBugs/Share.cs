using System.Globalization;

namespace Ambrosia.PlantedBugs;

/// <summary>
/// One of several equal shares of the bugs. Those of a class of tests are in one share, since they are hunted in one process.
/// </summary>
internal sealed record Share(int Number, int Of)
{
    /// <summary>The share that <c>2/3</c> names.</summary>
    /// <exception cref="BugFileException">It names none.</exception>
    public static Share Parse(string text)
    {
        string[] parts = text.Split('/');
        return parts.Length == 2
            && int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            && int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out int of)
            && number >= 1 && number <= of
                ? new Share(number, of)
                : throw new BugFileException($"\"{text}\" is no share of the bugs; 2/3 is the second of three");
    }

    /// <summary>The bugs of this share. The canary and the decoys, which test the hunt itself, are in each.</summary>
    public List<Bug> Pick(List<Bug> bugs)
    {
        List<Bug>[] shares = [.. Enumerable.Range(0, Of).Select(_ => new List<Bug>())];
        foreach (IGrouping<string, Bug> together in bugs.GroupBy(NameOfProcess)
            .OrderByDescending(group => group.Count()).ThenBy(group => group.Key, StringComparer.Ordinal))
        {
            shares.MinBy(share => share.Count)!.AddRange(together);
        }

        HashSet<Bug> mine = [.. shares[Number - 1]];
        return [.. bugs.Where(bug => mine.Contains(bug) || bug.IsDecoy || bug.Name == Hunt.Canary)];
    }

    // What explores takes long, and each has a process of its own: alone, so that each share gets some.
    private static string NameOfProcess(Bug bug) => Harness.Parse(bug.Harnesses[0]) is { IsExploring: false } tests
        ? (tests with { Method = "" }).ToString()
        : bug.Name;
}
