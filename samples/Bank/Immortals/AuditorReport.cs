namespace Bank;

/// <summary>The auditor's books.</summary>
public sealed record AuditorReport(IReadOnlyList<AccountReport> Movements, IReadOnlyList<ArrivalReport> Arrivals);
