using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A logger that keeps its lines.</summary>
public sealed class LogLines : ILogger
{
    private readonly ConcurrentQueue<string> _lines = new();

    public string[] All => [.. _lines];

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter) =>
        _lines.Enqueue($"{eventId.Id} {formatter(state, exception)}");
}
