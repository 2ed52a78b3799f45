namespace Ambrosia.CoordinatorHost.Options;

/// <summary>Finds the name that somebody probably meant.</summary>
public static class NearestName
{
    /// <summary>
    /// The candidate with the smallest edit distance, if it is near; one that contains the name counts as near, and after it one that the
    /// name contains. Null if nothing is near:
    /// a wrong guess misleads more than none.
    /// </summary>
    public static string? Of(string name, IEnumerable<string> candidates)
    {
        string wanted = name.ToLowerInvariant();
        (string Candidate, double Distance, int Edits) best = candidates.Select(candidate =>
        {
            int distance = Distance(wanted, candidate);
            return wanted.Length <= 2 || distance < 2 ? (candidate, distance, distance)
                : candidate.StartsWith(wanted, StringComparison.Ordinal) ? (candidate, 1.5, distance)
                : candidate.Contains(wanted, StringComparison.Ordinal) ? (candidate, 1.6, distance)
                : wanted.Contains(candidate, StringComparison.Ordinal) ? (candidate, 1.7, distance)
                : (candidate, (double)distance, distance);
        }).MinBy(static each => (each.Item2, each.Item3));
        return best.Distance <= Math.Max(wanted.Length > 3 ? 2 : 1.7, wanted.Length / 3) ? best.Candidate : null;
    }

    private static int Distance(string a, string b)
    {
        int[] row = [.. Enumerable.Range(0, b.Length + 1)]; // One for all letters: what somebody passes as a name may be long.
        for (int i = 1; i <= a.Length; i++)
        {
            (int diagonal, row[0]) = (row[0], i);
            for (int j = 1; j <= b.Length; j++)
            {
                int change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(change, Math.Min(row[j], row[j - 1]) + 1);
            }
        }

        return row[b.Length];
    }
}
