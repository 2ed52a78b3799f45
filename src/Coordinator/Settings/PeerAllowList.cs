namespace Ambrosia.Coordinator.Settings;

/// <summary>Which instances may send to this one: names, and beginnings of names with a star behind them, separated by commas.</summary>
public sealed class PeerAllowList
{
    private readonly string _text;
    private readonly string[] _names;
    private readonly string[] _beginnings;

    private PeerAllowList(string text, string[] entries)
    {
        _text = text;
        _names = [.. entries.Where(static entry => !entry.EndsWith('*'))];
        _beginnings = [.. entries.Where(static entry => entry.EndsWith('*')).Select(static entry => entry[..^1])];
    }

    /// <summary>Everybody.</summary>
    public static PeerAllowList Everybody { get; } = new("*", ["*"]);

    /// <summary>Reads the text; null if an entry cannot be a name or the beginning of one.</summary>
    public static PeerAllowList? TryParse(string text)
    {
        string[] entries = text.Split(',', StringSplitOptions.TrimEntries);
        return entries.All(static entry => entry == "*" || InstanceName.IsValid(entry.EndsWith('*') ? entry[..^1] : entry))
            ? new PeerAllowList(text, entries)
            : null;
    }

    /// <summary>Whether that instance may send.</summary>
    public bool Allows(string instance) => _names.Contains(instance, StringComparer.Ordinal)
        || _beginnings.Any(beginning => instance.StartsWith(beginning, StringComparison.Ordinal));

    /// <summary>As it was written.</summary>
    public override string ToString() => _text;
}
