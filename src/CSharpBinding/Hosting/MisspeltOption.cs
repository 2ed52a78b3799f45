namespace Ambrosia.Hosting;

/// <summary>
/// Finds a name that is almost that of an option. An app has options and settings of its own, so only such a name is an error.
/// </summary>
internal static class MisspeltOption
{
    private const int ShortestJudged = 5;
    private const int LargestDistance = 2;

    /// <summary>Refuses an argument that is almost an option.</summary>
    /// <param name="name">As it was written, without dashes.</param>
    /// <exception cref="OptionException">It is.</exception>
    public static void RefuseArgument(string name)
    {
        if (Nearest(name, static option => option.Name) is { } meant)
        {
            throw new OptionException($"There is no option --{name}. Did you mean --{meant.Name}?");
        }
    }

    /// <summary>Refuses a key of a section of settings that is almost an option's.</summary>
    /// <param name="key">As it was written.</param>
    /// <param name="section">Where it stands.</param>
    /// <exception cref="OptionException">It is.</exception>
    public static void RefuseKey(string key, string section)
    {
        if (Nearest(key.ToLowerInvariant(), static option => option.Key.ToLowerInvariant()) is { } meant)
        {
            throw new OptionException($"There is no option {section}:{key}. Did you mean {section}:{meant.Key}?");
        }
    }

    private static OptionDefinition? Nearest(string written, Func<OptionDefinition, string> nameOf) =>
        written.Length < ShortestJudged ? null : OptionDefinition.All
            .Select(option => (Option: option, Distance: Distance(written, nameOf(option))))
            .Where(static each => each.Distance is > 0 and <= LargestDistance)
            .OrderBy(static each => each.Distance)
            .FirstOrDefault().Option;

    private static int Distance(string left, string right)
    {
        int[] row = [.. Enumerable.Range(0, right.Length + 1)];
        for (int i = 1; i <= left.Length; i++)
        {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= right.Length; j++)
            {
                int substitute = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.Min(substitute, Math.Min(row[j], row[j - 1]) + 1);
            }
        }

        return row[^1];
    }
}
