namespace Ambrosia.Primitives;

/// <summary>How far what somebody wrote is from a name.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class EditDistance
{
    private const int ShortestJudged = 5;
    private const int LargestMistake = 2;

    /// <summary>Letters to add, remove or replace until one text is the other; capitals count.</summary>
    public static int Between(string left, string right)
    {
        int[] row = [.. Enumerable.Range(0, right.Length + 1)]; // One for all letters: what somebody passes as a name may be long.
        for (int i = 1; i <= left.Length; i++)
        {
            (int diagonal, row[0]) = (row[0], i);
            for (int j = 1; j <= right.Length; j++)
            {
                int change = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(change, Math.Min(row[j], row[j - 1]) + 1);
            }
        }

        return row[right.Length];
    }

    /// <summary>The distance if one is surely the other misspelt, else null: short names are near to many others.</summary>
    public static int? IfMisspelt(string written, string name) =>
        written.Length >= ShortestJudged && Between(written, name) is var distance && distance <= LargestMistake ? distance : null;
}
