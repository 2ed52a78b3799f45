using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>Keeps what is logged.</summary>
internal sealed class LineLogger : ILogger
{
    private readonly ConcurrentQueue<string> _lines = new();

    public int Count(string line) => _lines.Count(each => each == line);

    public int CountContaining(string part) => _lines.Count(each => each.Contains(part, StringComparison.Ordinal));

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?,
        string> formatter) =>
        _lines.Enqueue(formatter(state, exception));
}
