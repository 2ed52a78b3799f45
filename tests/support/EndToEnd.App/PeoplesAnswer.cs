namespace EndToEnd;

/// <summary>What people answer.</summary>
public sealed record PeoplesAnswer(bool Yes, decimal Weight);
