using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>
/// Keeps a store that does not answer from filling the log. The first warning about a store is written at once, and of those that follow
/// within a few seconds only how many they were, with the last one's text. Other lines go by.
/// </summary>
public sealed class OutageLogger(ILogger inner, TimeProvider time) : ILogger, IDisposable
{
    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(5);
    private readonly RepeatedLines _repeated = new(inner, s_window, time);

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => inner.BeginScope(state);

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => inner.IsEnabled(logLevel);

    /// <inheritdoc/>
    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        ArgumentNullException.ThrowIfNull(formatter);
        // A catalog that cannot be used or asked, an instance without trust, a lease that is not renewed, a request that is tried again.
        bool isOutage = eventId.Id is 1215 or 1216 or 1308 or 2100 or 2102;
        if (!isOutage || _repeated.IsFirst(new RefusedKind(eventId.Id, "", PlaceIn(state)), () => formatter(state, exception)))
        {
            inner.Log(logLevel, eventId, state, exception, formatter);
        }
    }

    /// <summary>Writes what is still to be told.</summary>
    public void Dispose() => _repeated.Dispose();

    private static string PlaceIn<TState>(TState state)
    {
        IReadOnlyList<KeyValuePair<string, object?>> fields = state as IReadOnlyList<KeyValuePair<string, object?>> ?? [];
        return fields.FirstOrDefault(static field => field.Key is "Location" or "Instance").Value as string ?? "";
    }
}
