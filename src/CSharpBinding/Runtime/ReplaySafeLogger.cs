using Ambrosia.Telemetry;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Runtime;

/// <summary>
/// Silent while messages are executed again: each line appears once, when it happened. Each line is written in the scope of its message;
/// a provider without scopes costs no allocation.
/// </summary>
internal sealed class ReplaySafeLogger(ILogger inner, Func<bool> isReplaying, Func<MessageScope> scope) : ILogger
{
    private readonly Stack<LogScope> _ofTurn = new(); // For the thread of the turns.

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull
    {
        if (Turn.Current is null)
        {
            return inner.BeginScope(state);
        }

        while (_ofTurn.TryPeek(out LogScope? last) && !last.IsOpen)
        {
            _ofTurn.Pop();
        }

        // An object in a replay, too: what a handler keeps over an await must be the same then.
        var begun = new LogScope(isReplaying() ? null : inner.BeginScope(state));
        _ofTurn.Push(begun);
        return begun;
    }

    /// <summary>The turn is over: what its handler has left open ends, the last one first.</summary>
    public void EndTurn()
    {
        while (_ofTurn.TryPop(out LogScope? begun))
        {
            begun.Dispose();
        }
    }

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => !isReplaying() && inner.IsEnabled(logLevel);

    /// <inheritdoc/>
    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
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
