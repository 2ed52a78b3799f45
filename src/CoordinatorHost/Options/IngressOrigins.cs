namespace Ambrosia.CoordinatorHost.Options;

/// <summary>Pages of which origins may call from outside: a list of origins such as <c>https://shop.example</c>, or all.</summary>
public sealed class IngressOrigins
{
    private const int Most = 100;
    private readonly HashSet<string> _origins;

    private IngressOrigins(bool all, HashSet<string> origins) => (IsAll, _origins) = (all, origins);

    /// <summary>Those of no other origin.</summary>
    public static IngressOrigins None { get; } = new(false, []);

    /// <summary>Whether those of all origins may.</summary>
    public bool IsAll { get; }

    /// <summary>Reads <c>none</c>, <c>*</c>, or origins with commas between; null if it is something else.</summary>
    public static IngressOrigins? TryParse(string text)
    {
        if (text is "none" or "*")
        {
            return text == "*" ? new IngressOrigins(true, []) : None;
        }

        string?[] origins = [.. text.Split(',', StringSplitOptions.TrimEntries).Select(OriginOf)];
        return origins.Length > Most || origins.Contains(null) ? null
            : new IngressOrigins(false, new HashSet<string>(origins!, StringComparer.Ordinal));
    }

    /// <inheritdoc/>
    public override string ToString() => IsAll ? "*" : _origins.Count == 0 ? "none" : string.Join(',', _origins);

    /// <summary>Whether pages of this origin may call.</summary>
    /// <param name="origin">As a browser says it.</param>
    internal bool Allows(string origin) => IsAll || _origins.Contains(origin);

    // As browsers write it: in small letters, without the port that goes without saying. A path or a slash at the end would be nobody's.
    private static string? OriginOf(string text)
    {
        bool valid = Uri.TryCreate(text, UriKind.Absolute, out Uri? url) && url is { Scheme: "http" or "https", UserInfo: "" }
            && text.All(static c => c is > ' ' and <= '~') && url.Host.Length > 0;
        string origin = valid ? $"{url!.Scheme}://{url.Authority}" : "";
        return valid && Plain(text) == Plain(origin) ? origin : null;

        string Plain(string origin) => origin.ToLowerInvariant() is var small && url!.IsDefaultPort
            ? small.EndsWith($":{url.Port}", StringComparison.Ordinal) ? small[..^$":{url.Port}".Length] : small
            : small;
    }
}
