namespace Bank;

/// <summary>What a shard knows when everything is over.</summary>
public sealed record ShardReport(long Transfers, IReadOnlyList<AccountReport> Accounts, IReadOnlyList<ArrivalReport> Arrivals,
    IReadOnlyList<SentReport> Sent);
