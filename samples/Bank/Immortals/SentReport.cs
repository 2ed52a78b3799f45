namespace Bank;

/// <summary>How many numbered messages were sent to one receiver.</summary>
public sealed record SentReport(string Receiver, long Count);
