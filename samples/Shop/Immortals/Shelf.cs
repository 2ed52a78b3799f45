namespace Shop.Immortals;

/// <summary>Where the pieces of one good are.</summary>
/// <param name="Item">Its name.</param>
/// <param name="Free">For sale.</param>
/// <param name="Reserved">Held for an order.</param>
/// <param name="Shipped">Gone to a customer.</param>
public sealed record Shelf(string Item, int Free, int Reserved = 0, int Shipped = 0);
