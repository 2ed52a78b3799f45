using Microsoft.Extensions.Logging;

namespace Ambrosia.Runtime;

/// <summary>Silent while messages are executed again: each line appears once, when it happened.</summary>
internal sealed class ReplaySafeLogger(ILogger inner, Func<bool> isReplaying) : ILogger
{
    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => inner.BeginScope(state);

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => !isReplaying() && inner.IsEnabled(logLevel);

    /// <inheritdoc/>
    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (!isReplaying())
        {
            inner.Log(logLevel, eventId, state, exception, formatter);
        }
    }
}
