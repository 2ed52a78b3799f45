namespace Bank;

/// <summary>Money to be moved, perhaps from one shard of the bank to the other.</summary>
public sealed record Order(string FromShard, string From, string ToShard, string To, decimal Amount);
