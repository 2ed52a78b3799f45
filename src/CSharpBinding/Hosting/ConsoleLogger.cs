using System.Globalization;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Hosting;

/// <summary>
/// One line per event for a person at a terminal. AMBROSIA_LOG_LEVEL (debug, information, warning ...) chooses what is shown; default
/// information.
/// </summary>
internal sealed class ConsoleLogger(TextWriter output, TimeProvider time) : ILogger
{
    private readonly LogLevel _lowest =
        Enum.TryParse(Environment.GetEnvironmentVariable("AMBROSIA_LOG_LEVEL"), ignoreCase: true, out LogLevel level) ? level
        : LogLevel.Information;

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => logLevel >= _lowest && logLevel != LogLevel.None;

    /// <inheritdoc/>
    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel))
        {
            return;
        }

        string now = time.GetLocalNow().ToString("HH:mm:ss.fff", CultureInfo.InvariantCulture);
        string mark = logLevel >= LogLevel.Warning ? $" {logLevel}:" : "";
        output.WriteLine($"{now}{mark} {formatter(state, exception)}");
        if (exception is not null)
        {
            output.WriteLine(exception);
        }
    }
}
