using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>Keeps what is logged with the scope that it was logged in, as a provider does that knows scopes.</summary>
internal sealed class ScopeLogger : ILogger
{
    private readonly AsyncLocal<object?> _scope = new();
    private readonly ConcurrentQueue<(string Line, object? Scope)> _lines = new();

    /// <summary>The values of the scope of the only line with this text.</summary>
    public Dictionary<string, object?> ScopeOf(string line) =>
        new((IEnumerable<KeyValuePair<string, object?>>)Assert.Single(_lines, each =>
            each.Line.StartsWith(line, StringComparison.Ordinal)).Scope!);

    /// <summary>The scopes of all lines with this text, as text.</summary>
    public string?[] ScopesOf(string line) => [.. _lines.Where(each => each.Line == line).Select(static each => each.Scope?.ToString())];

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
    {
        var end = new End(_scope, _scope.Value);
        _scope.Value = state;
        return end;
    }

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter) => _lines.Enqueue((formatter(state, exception), _scope.Value));

    private sealed class End(AsyncLocal<object?> scope, object? before) : IDisposable
    {
        public void Dispose() => scope.Value = before;
    }
}
