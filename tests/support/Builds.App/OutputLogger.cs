using Microsoft.Extensions.Logging;

namespace Ambrosia.Builds.App;

/// <summary>Writes what is logged to the process's output, a line each.</summary>
internal sealed class OutputLogger : ILoggerProvider, ILogger
{
    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter) =>
        Console.WriteLine($"{logLevel}: {formatter(state, exception)}");

    public void Dispose()
    {
    }
}
