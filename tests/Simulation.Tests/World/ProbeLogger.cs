using Microsoft.Extensions.Logging;

namespace Ambrosia.Simulation.Tests;

/// <summary>Counts what coordinators log, and prints it where a trace is wanted.</summary>
internal sealed class ProbeLogger(SimReport report, Action<string>? print) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        report.Logged(eventId.Id);
        if (print is not null)
        {
            print(formatter(state, exception));
        }
        else if (SimReport.IsTextual(eventId.Id))
        {
            report.Logged(eventId.Id, formatter(state, exception));
        }
    }
}
