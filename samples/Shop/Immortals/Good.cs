namespace Shop.Immortals;

/// <summary>Something that is sold.</summary>
/// <param name="Item">Its name.</param>
/// <param name="Price">For one.</param>
/// <param name="Count">How many there are when the shop opens for the first time.</param>
public sealed record Good(string Item, decimal Price, int Count);
