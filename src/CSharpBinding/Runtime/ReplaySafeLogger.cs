using Ambrosia.Telemetry;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Runtime;

/// <summary>
/// Silent while messages are executed again: each line appears once, when it happened. Each line is written in the scope of its message;
/// a provider without scopes costs no allocation.
/// </summary>
internal sealed class ReplaySafeLogger(ILogger inner, Func<bool> isReplaying, Func<MessageScope> scope) : ILogger
{
    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => inner.BeginScope(state);

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => !isReplaying() && inner.IsEnabled(logLevel);

    /// <inheritdoc/>
    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel))
        {
            return;
        }

        using (inner.BeginScope(scope()))
        {
            inner.Log(logLevel, eventId, state, exception, formatter);
        }
    }
}
