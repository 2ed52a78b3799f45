namespace Bank;

/// <summary>One account as its shard sees it, or what the auditor has seen moving on it.</summary>
public sealed record AccountReport(string Name, decimal Balance, decimal UnderWay);
