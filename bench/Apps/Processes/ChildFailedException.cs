namespace Ambrosia.Bench.Processes;

/// <summary>A process of a benchmark ended or said something unexpected; the message holds its last lines.</summary>
internal sealed class ChildFailedException(string message) : Exception(message);
