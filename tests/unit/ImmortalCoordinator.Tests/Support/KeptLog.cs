using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>Gives every category one logger that keeps its lines.</summary>
public sealed class KeptLog : ILoggerProvider
{
    public LogLines Lines { get; } = new();

    public ILogger CreateLogger(string categoryName) => Lines;

    public void Dispose()
    {
    }
}
