namespace Ambrosia;

/// <summary>
/// No coordinator could be started or reached, or the one that the app started must not be started again before a person has acted.
/// </summary>
/// <param name="message">What was tried, and what the coordinator said last.</param>
public sealed class CoordinatorUnavailableException(string message) : Exception(message)
{
    /// <summary>The exit code of the coordinator that the app started; null if none has ended.</summary>
    public int? CoordinatorCode { get; init; }
}
