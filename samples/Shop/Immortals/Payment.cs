namespace Shop.Immortals;

/// <summary>What completes an order's awakeable.</summary>
/// <param name="Amount">What was paid.</param>
public sealed record Payment(decimal Amount);
