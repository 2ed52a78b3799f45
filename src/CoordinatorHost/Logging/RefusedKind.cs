namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>
/// What makes two lines about a refused client, or about a store that does not answer, alike. An origin of "" stands for all that
/// were too many to be told apart.
/// </summary>
/// <param name="Event">Number of the log event.</param>
/// <param name="Code">The error's code, or "".</param>
/// <param name="Origin">Its origin: a host, an instance as it calls itself, a process, or a store.</param>
internal readonly record struct RefusedKind(int Event, string Code, string Origin);
