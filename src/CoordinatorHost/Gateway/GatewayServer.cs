using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Logging;
using Ambrosia.CoordinatorHost.Metrics;
using Ambrosia.LogStore.Catalog;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// One entry for calls from outside to many instances (docs/operate/gateway.md). It keeps nothing that a restart would lose.
/// </summary>
public sealed class GatewayServer : IAsyncDisposable
{
    private static readonly TimeSpan s_farewell = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_connect = TimeSpan.FromSeconds(2);
    private readonly LocalWebServer _server;
    private readonly LocalWebServer? _health;
    private readonly MetricsCollector? _metrics;
    private readonly IngressCallers? _callers;
    private readonly InstanceLink _link;
    private readonly RouteTable _routes;
    private readonly StopGate _stopping;
    private readonly OutageLogger _logger;
    private readonly TimeProvider _time;

    private GatewayServer(
        LocalWebServer server, LocalWebServer? health, MetricsCollector? metrics, IngressCallers? callers, InstanceLink link,
        RouteTable routes, StopGate stopping, OutageLogger logger, TimeProvider time)
    {
        (_server, _health, _metrics, _callers, _link, _routes) = (server, health, metrics, callers, link, routes);
        (_stopping, _logger, _time) = (stopping, logger, time);
    }

    /// <summary>Where it listens: port 0 has become the port that the system chose.</summary>
    public EndPointName EndPoint => _server.EndPoint;

    /// <summary>Where health and metrics are; null for nowhere.</summary>
    public EndPointName? HealthEndPoint => _health?.EndPoint;

    /// <summary>What an instance that trusts this gateway has in its file of tokens; empty if the gateway has no token.</summary>
    public string TrustLine { get; private init; } = "";

    /// <summary>Begins to serve.</summary>
    /// <param name="options">What was asked for.</param>
    /// <param name="catalog">Where instances are.</param>
    /// <param name="random">A number from 0 to 1, so that calls that fail together do not come again together.</param>
    /// <param name="time">Clock.</param>
    /// <param name="log">Receives warnings.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="CoordinatorException">The options contradict each other, or a file or an address cannot be used.</exception>
    public static async Task<GatewayServer> StartAsync(
        GatewayOptions options, ICatalog catalog, Func<double> random, TimeProvider time, ILoggerProvider log,
        CancellationToken cancellationToken)
    {
        GatewayRules.Check(options, catalog);
        var logger = new OutageLogger(log.CreateLogger("gateway"), time);
        IngressCallers? callers = IngressCallers.Load(options.Tokens, options.Jwt, "--jwt", time, logger);
        bool makesToken = options.OwnTokenFile.Length > 0 && !File.Exists(options.OwnTokenFile);
        OwnToken? own = options.OwnTokenFile.Length == 0 ? null : new OwnToken(options.OwnTokenFile, time);
        if (makesToken)
        {
            CoordinatorLog.GatewayTokenMade(logger, options.OwnTokenFile);
        }

        IngressCertificate? certificate = options.CertFile.Length == 0 ? null
            : await IngressCertificate.LoadAsync(options.CertFile, options.KeyFile, time, logger, "--cert-file and --key-file");
        IngressLimits limits = IngressLimits.Product with
        {
            Body = options.MaxBody, Requests = options.MaxRequests, RequestsOfOne = options.MaxRequestsOfOne,
        };
        var link = new InstanceLink(own is null ? static () => null : own.Get, Authorities(options.InstanceCaFile), s_connect, time);
        var stopping = new StopGate();
        MetricsCollector? metrics = options.Health is null ? null : new MetricsCollector();
        LocalWebServer? health = null;
        var routes = new RouteTable(
            new CatalogRoutes(catalog, options.InstanceUrl, link.AskIdAsync).LookAsync, time, new RouteLimits());
        try
        {
            var endpoints = new GatewayEndpoints(
                new Forwarder(routes, link, time, random, logger), link, callers, limits, options, stopping, time);
            health = options.Health is { } address ? await LocalWebServer.StartAsync(
                address, "--health", context => HealthAsync(context, stopping, metrics!), time, log, cancellationToken) : null;
            LocalWebServer server = await LocalWebServer.StartAsync(
                options.Listen, "--listen", endpoints.HandleAsync, time, log, cancellationToken,
                server => IngressServer.Configure(server, limits, certificate, time));
            if (certificate is null && !options.Listen.IsLocal)
            {
                CoordinatorLog.GatewayInTheClear(logger, server.EndPoint.ToString());
            }

            return new GatewayServer(server, health, metrics, callers, link, routes, stopping, logger, time)
            {
                TrustLine = own is null ? "" : $"gateway {Dns.GetHostName()} {own.Hash}",
            };
        }
        catch
        {
            await (health?.DisposeAsync() ?? default);
            metrics?.Dispose();
            callers?.Dispose();
            link.Dispose();
            routes.Dispose();
            stopping.Dispose();
            logger.Dispose();
            throw;
        }
    }

    /// <summary>Takes nothing more, and waits for what is being answered; what takes longer is told so.</summary>
    /// <param name="patience">How long it waits.</param>
    /// <returns>How many calls had to be ended.</returns>
    public Task<int> StopAsync(TimeSpan patience) => _stopping.CloseAsync(patience, s_farewell, _time);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        await (_health?.DisposeAsync() ?? default);
        _metrics?.Dispose();
        _callers?.Dispose();
        _link.Dispose();
        _routes.Dispose();
        _stopping.Dispose();
        _logger.Dispose();
    }

    private static async Task HealthAsync(HttpContext context, StopGate stopping, MetricsCollector metrics)
    {
        string path = context.Request.Path.Value ?? "";
        bool isReady = !stopping.IsClosed;
        await (path switch
        {
            "/metrics" => WebAnswer.AnswerAsync(
                context, StatusCodes.Status200OK, await metrics.RenderAsync(), PrometheusText.ContentType),
            "/healthz" => WebAnswer.AnswerAsync(context, StatusCodes.Status200OK, "ok\n"),
            "/readyz" => WebAnswer.AnswerAsync(
                context, isReady ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable, isReady ? "ready\n" : "stopping\n"),
            _ => WebAnswer.AnswerAsync(context, StatusCodes.Status404NotFound, "GET /healthz, /readyz, /metrics\n"),
        });
    }

    private static X509Certificate2Collection? Authorities(string file)
    {
        if (file.Length == 0)
        {
            return null;
        }

        var authorities = new X509Certificate2Collection();
        try
        {
            authorities.ImportFromPemFile(file);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or CryptographicException)
        {
            throw Unusable(file, error.Message, error);
        }

        return authorities.Count > 0 ? authorities : throw Unusable(file, "it holds no certificate", null);
    }

    private static CoordinatorException Unusable(string file, string reason, Exception? error) => new(
        ProcessErrors.CertificatesUnusable, $"the authorities of instances' certificates cannot be used: {reason}", file,
        "nothing was started", "correct the file that --instance-ca-file names", error);
}
