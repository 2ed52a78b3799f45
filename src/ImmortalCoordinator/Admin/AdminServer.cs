using Ambrosia.ImmortalCoordinator.Page;
using Ambrosia.ImmortalCoordinator.Transport;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Admin;

/// <summary>The HTTP server of the admin address. It runs on the thread pool and shares nothing with the core but its status interface.</summary>
public sealed class AdminServer : IAsyncDisposable
{
    private readonly LocalWebServer _server;
    private readonly MetricsCollector _metrics;
    private readonly PageLogs? _logs;

    private AdminServer(LocalWebServer server, MetricsCollector metrics, PageLogs? logs) => (_server, _metrics, _logs) = (server, metrics, logs);

    /// <summary>Where it listens: port 0 has become the port that the system chose.</summary>
    public EndPointName EndPoint => _server.EndPoint;

    /// <summary>What gathers the measurements.</summary>
    internal MetricsCollector Metrics => _metrics;

    /// <summary>Begins to serve, without the page.</summary>
    /// <exception cref="CoordinatorException">The address cannot be used.</exception>
    public static Task<AdminServer> StartAsync(
        EndPointName endPoint,
        string token,
        ICoordinatorStatus status,
        TimeProvider time,
        ILoggerProvider log,
        CancellationToken cancellationToken) =>
        StartAsync(endPoint, token, status, null, time, log, cancellationToken);

    /// <summary>Begins to serve, with the page about these logs, which are closed at the end.</summary>
    /// <param name="endPoint">Where to listen.</param>
    /// <param name="token">What requests must show. Empty at a Unix socket only: any user of the machine reaches a port.</param>
    /// <param name="status">The instance.</param>
    /// <param name="logs">What the page is about; null for no page.</param>
    /// <param name="time">Clock.</param>
    /// <param name="log">Receives warnings.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="CoordinatorException">The address cannot be used.</exception>
    internal static async Task<AdminServer> StartAsync(
        EndPointName endPoint,
        string token,
        ICoordinatorStatus status,
        PageLogs? logs,
        TimeProvider time,
        ILoggerProvider log,
        CancellationToken cancellationToken)
    {
        if (endPoint.Scheme != EndPointScheme.Unix)
        {
            ArgumentException.ThrowIfNullOrEmpty(token);
        }

        var metrics = new MetricsCollector();
        try
        {
            var endpoints = new AdminEndpoints(status, metrics, endPoint, token, logs, time);
            return new AdminServer(await LocalWebServer.StartAsync(endPoint, "--admin", endpoints.HandleAsync, time, log, cancellationToken), metrics, logs);
        }
        catch (CoordinatorException)
        {
            metrics.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _metrics.Dispose();
        if (_logs is not null)
        {
            await _logs.DisposeAsync();
        }
    }
}
