namespace Shop.Immortals;

/// <summary>An order.</summary>
/// <param name="Number">1 for the first.</param>
/// <param name="Customer">Who wants it.</param>
/// <param name="Item">What.</param>
/// <param name="Price">What it costs.</param>
/// <param name="State">How far it is.</param>
/// <param name="PayUntil">When its time to pay ends; null until it begins.</param>
/// <param name="Note">Why it was cancelled.</param>
public sealed record Order(
    int Number, string Customer, string Item, decimal Price, OrderState State, DateTimeOffset? PayUntil = null, string Note = "");
