namespace Ambrosia;

/// <summary>No coordinator could be started or reached.</summary>
/// <param name="message">What was tried, and what the coordinator said last.</param>
public sealed class CoordinatorUnavailableException(string message) : Exception(message);
