namespace Ambrosia;

/// <summary>A call was quarantined by an operator's logged decision: it was not executed.</summary>
/// <param name="message">Which one.</param>
public sealed class MessageSkippedException(string message) : Exception(message);
