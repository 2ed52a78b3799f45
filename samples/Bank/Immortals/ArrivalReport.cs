namespace Bank;

/// <summary>What arrived from one sender.</summary>
public sealed record ArrivalReport(string Sender, long Highest, long Count, long Missing, long Duplicates, long OutOfOrder);
