using System.Globalization;

namespace Bank;

/// <summary>What a teller wrote down: the orders it asked for, and those of them that were answered.</summary>
internal sealed record OutsideHistory(IReadOnlySet<long> Asked, IReadOnlySet<long> Answered)
{
    public static OutsideHistory Read(string path) => new(Numbers(path, "asked "), Numbers(path, "answered "));

    private static HashSet<long> Numbers(string path, string verb) => !File.Exists(path) ? [] :
    [
        .. File.ReadLines(path)
            .Where(line => line.StartsWith(verb, StringComparison.Ordinal))
            .Select(line => long.Parse(line.AsSpan(verb.Length), CultureInfo.InvariantCulture)),
    ];
}
