using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.Inspection;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>
/// The HTTP server of the admin address. It runs on the thread pool and shares nothing with the core but its status interface.
/// </summary>
public sealed class AdminServer : IAsyncDisposable
{
    private readonly LocalWebServer _server;
    private readonly MetricsCollector? _ownMetrics;
    private readonly PageLogs? _logs;

    private AdminServer(LocalWebServer server, MetricsCollector? ownMetrics, PageLogs? logs) =>
        (_server, _ownMetrics, _logs) = (server, ownMetrics, logs);

    /// <summary>Where it listens: port 0 has become the port that the system chose.</summary>
    public EndPointName EndPoint => _server.EndPoint;

    /// <summary>Begins to serve, without the page.</summary>
    /// <exception cref="CoordinatorException">The address cannot be used.</exception>
    public static Task<AdminServer> StartAsync(
        EndPointName endPoint,
        string token,
        ICoordinatorStatus status,
        TimeProvider time,
        ILoggerProvider log,
        CancellationToken cancellationToken) =>
        StartAsync(endPoint, token, status, null, null, time, log, cancellationToken);

    /// <summary>Begins to serve, with the page about these logs, which are closed at the end.</summary>
    /// <param name="endPoint">Where to listen.</param>
    /// <param name="token">What requests must show. Empty at a Unix socket only: any user of the machine reaches a port.</param>
    /// <param name="status">The instance.</param>
    /// <param name="metrics">What gathers measurements already; null if nothing does.</param>
    /// <param name="logs">What the page is about; null for no page.</param>
    /// <param name="time">Clock.</param>
    /// <param name="log">Receives warnings.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="CoordinatorException">The address cannot be used.</exception>
    internal static async Task<AdminServer> StartAsync(
        EndPointName endPoint,
        string token,
        ICoordinatorStatus status,
        MetricsCollector? metrics,
        PageLogs? logs,
        TimeProvider time,
        ILoggerProvider log,
        CancellationToken cancellationToken)
    {
        if (endPoint.Scheme != EndPointScheme.Unix)
        {
            ArgumentException.ThrowIfNullOrEmpty(token);
        }

        MetricsCollector? own = metrics is null ? new MetricsCollector() : null;
        try
        {
            var endpoints = new AdminEndpoints(status, metrics ?? own!, endPoint, token, logs, time);
            LocalWebServer server = await LocalWebServer.StartAsync(endPoint, "--admin", endpoints.HandleAsync, time, log,
                cancellationToken);
            return new AdminServer(server, own, logs);
        }
        catch (CoordinatorException)
        {
            own?.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _ownMetrics?.Dispose();
        if (_logs is not null)
        {
            await _logs.DisposeAsync();
        }
    }
}
