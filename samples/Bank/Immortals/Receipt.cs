namespace Bank;

/// <summary>What became of an order.</summary>
/// <param name="Number">The number under which it was sent.</param>
/// <param name="Done">False if the account did not hold enough.</param>
public sealed record Receipt(long Number, bool Done);
