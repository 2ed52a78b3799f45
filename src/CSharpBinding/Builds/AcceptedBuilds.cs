namespace Ambrosia.Builds;

/// <summary>Which differences between builds are accepted, as <c>--accept</c> says.</summary>
internal sealed class AcceptedBuilds
{
    private readonly string[] _words;

    private AcceptedBuilds(string[] words, bool all) => (_words, All) = (words, all);

    /// <summary>True if every difference is accepted, which is for builds for debugging.</summary>
    public bool All { get; }

    /// <summary>Reads the option.</summary>
    /// <param name="text">Hashes of differences, separated by commas since a replay that crosses an upgrade may meet two builds;
    /// <c>any</c>; or "" for none.</param>
    public static AcceptedBuilds Of(string text) =>
        new(text.Length == 0 ? [] : text.Split(',', StringSplitOptions.TrimEntries), text == "any");

    /// <summary>Whether the difference with this hash is accepted.</summary>
    public bool Contains(string difference) => All || _words.Contains(difference);
}
