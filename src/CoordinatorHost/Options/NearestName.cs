using Ambrosia.Primitives;

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
            int distance = EditDistance.Between(wanted, candidate);
            return wanted.Length <= 2 || distance < 2 ? (candidate, distance, distance)
                : candidate.StartsWith(wanted, StringComparison.Ordinal) ? (candidate, 1.5, distance)
                : candidate.Contains(wanted, StringComparison.Ordinal) ? (candidate, 1.6, distance)
                : wanted.Contains(candidate, StringComparison.Ordinal) ? (candidate, 1.7, distance)
                : (candidate, (double)distance, distance);
        }).MinBy(static each => (each.Item2, each.Item3));
        return best.Distance <= Math.Max(wanted.Length > 3 ? 2 : 1.7, wanted.Length / 3) ? best.Candidate : null;
    }
}
