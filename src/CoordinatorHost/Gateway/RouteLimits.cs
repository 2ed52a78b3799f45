namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>How much a gateway remembers of where instances are, and how often it asks.</summary>
internal sealed record RouteLimits
{
    /// <summary>Names that are remembered at once.</summary>
    public int Names { get; init; } = 10_000;

    /// <summary>Look-ups at once.</summary>
    public int AtOnce { get; init; } = 64;

    /// <summary>The time between two look-ups of one name.</summary>
    public TimeSpan Between { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>How long one may take, from when it is among those at once.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(5);
}
