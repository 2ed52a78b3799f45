using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Metrics;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>
/// The HTTP server of the health address, which other machines may reach: it has nothing but <see cref="HealthEndpoints"/>.
/// </summary>
public sealed class HealthServer : IAsyncDisposable
{
    private readonly LocalWebServer _server;
    private readonly MetricsCollector? _ownMetrics;

    private HealthServer(LocalWebServer server, MetricsCollector? ownMetrics) => (_server, _ownMetrics) = (server, ownMetrics);

    /// <summary>Where it listens: port 0 has become the port that the system chose.</summary>
    public EndPointName EndPoint => _server.EndPoint;

    /// <summary>Begins to serve.</summary>
    /// <param name="endPoint">An IP address of this machine, or the one that stands for all.</param>
    /// <param name="status">The instance.</param>
    /// <param name="metrics">What gathers measurements already; null if nothing does.</param>
    /// <param name="time">Clock.</param>
    /// <param name="log">Receives warnings.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="CoordinatorException">The address cannot be used.</exception>
    public static async Task<HealthServer> StartAsync(
        EndPointName endPoint, ICoordinatorStatus status, MetricsCollector? metrics, TimeProvider time, ILoggerProvider log,
        CancellationToken cancellationToken)
    {
        MetricsCollector? own = metrics is null ? new MetricsCollector() : null;
        try
        {
            var endpoints = new HealthEndpoints(status, metrics ?? own!);
            return new HealthServer(
                await LocalWebServer.StartAsync(endPoint, "--health", endpoints.HandleAsync, time, log, cancellationToken), own);
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
    }
}
