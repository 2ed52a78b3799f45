namespace Bank;

/// <summary>A client's own history.</summary>
/// <param name="Calls">Orders sent, each awaited.</param>
/// <param name="Answers">Receipts that came back.</param>
/// <param name="WrongAnswers">Receipts that belong to another order than the awaited one.</param>
/// <param name="Open">Loops that have not ended, and orders from outside that are not answered.</param>
/// <param name="Placed">Numbers of the orders from outside, in the order in which they were executed.</param>
/// <param name="Sent">How many numbered messages went to each shard.</param>
public sealed record ClientReport(long Calls, long Answers, long WrongAnswers, long Open, IReadOnlyList<long> Placed,
    IReadOnlyList<SentReport> Sent);
