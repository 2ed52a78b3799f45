namespace Shop.Immortals;

/// <summary>A day in the shop.</summary>
/// <param name="Shipped">Orders that ended well.</param>
/// <param name="Cancelled">Orders that did not.</param>
/// <param name="Takings">Money for what was shipped.</param>
/// <param name="Due">The night in which the day was closed; null while it lasts.</param>
public sealed record Report(int Shipped = 0, int Cancelled = 0, decimal Takings = 0, DateTimeOffset? Due = null);
