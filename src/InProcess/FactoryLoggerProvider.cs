using Microsoft.Extensions.Logging;

namespace Ambrosia.InProcess;

/// <summary>The app's loggers, for a coordinator that asks for its own.</summary>
internal sealed class FactoryLoggerProvider(ILoggerFactory factory, string instance) : ILoggerProvider
{
    public ILogger CreateLogger(string categoryName) => factory.CreateLogger($"Ambrosia.{instance}.{categoryName}");

    public void Dispose()
    {
        // The factory belongs to the app.
    }
}
