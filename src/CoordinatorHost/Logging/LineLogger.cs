using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Logging;

/// <summary>The logger of one category.</summary>
internal sealed class LineLogger(LineLoggerProvider provider, string category) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => provider.IsEnabled(logLevel);

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (provider.IsEnabled(logLevel))
        {
            provider.Write(new LogLine(
                default, logLevel, eventId, category, formatter(state, exception), state as IReadOnlyList<KeyValuePair<string, object?>>
                ?? [], exception, WithStackTrace: false));
        }
    }
}
