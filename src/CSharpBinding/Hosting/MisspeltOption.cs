using Ambrosia.Primitives;

namespace Ambrosia.Hosting;

/// <summary>
/// Finds a name that is almost that of an option. An app has options and settings of its own, so only such a name is an error.
/// </summary>
internal static class MisspeltOption
{
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

    // What is equal is the option; only its capitals may differ, and those are no mistake here.
    private static AppOption? Nearest(string written, Func<AppOption, string> nameOf) => AppOption.All
        .Select(option => (Option: option, Distance: EditDistance.IfMisspelt(written, nameOf(option))))
        .Where(static each => each.Distance > 0)
        .OrderBy(static each => each.Distance)
        .FirstOrDefault().Option;
}
