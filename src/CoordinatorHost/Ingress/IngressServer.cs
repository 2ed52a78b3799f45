using System.Net;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.CoordinatorHost.Options;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// The HTTP server of the address for calls from outside (docs/guide/calls-from-outside.md). It shares nothing with the core but its
/// entrance.
/// </summary>
public sealed class IngressServer : IAsyncDisposable
{
    private readonly LocalWebServer _server;
    private readonly IngressEndpoints _endpoints;
    private readonly IngressCallers? _callers;

    private IngressServer(LocalWebServer server, IngressEndpoints endpoints, IngressCallers? callers) =>
        (_server, _endpoints, _callers) = (server, endpoints, callers);

    /// <summary>Where it listens: port 0 has become the port that the system chose.</summary>
    public EndPointName EndPoint => _server.EndPoint;

    /// <summary>
    /// What URLs begin with that are given away: what was asked for, else this address. One of all addresses names none of them.
    /// </summary>
    public string AddressFor(string given, bool isEncrypted) => given.Length > 0 ? given
        : IPAddress.TryParse(EndPoint.Host, out IPAddress? ip) && (ip.Equals(IPAddress.Any) || ip.Equals(IPAddress.IPv6Any)) ? ""
        : $"{(isEncrypted ? "https" : "http")}://{EndPoint.Authority}";

    /// <summary>Begins to serve.</summary>
    /// <param name="endPoint">Where to listen.</param>
    /// <param name="options">What was asked for.</param>
    /// <param name="doors">Where requests enter the core.</param>
    /// <param name="time">Clock.</param>
    /// <param name="log">Receives warnings.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="CoordinatorException">The address or the token file cannot be used.</exception>
    public static async Task<IngressServer> StartAsync(
        EndPointName endPoint, CoordinatorOptions options, IngressDoors doors, TimeProvider time, ILoggerProvider log,
        CancellationToken cancellationToken)
    {
        ILogger logger = log.CreateLogger("ingress");
        IngressCertificate? certificate = options.IngressCertFile.Length == 0 ? null
            : await IngressCertificate.LoadAsync(options.IngressCertFile, options.IngressKeyFile, time, logger);
        IngressCallers? callers = IngressCallers.Load(options.IngressTokens, options.IngressJwt, "--ingress-jwt", time, logger);
        var limits = IngressLimits.Product with { Body = options.IngressMaxBody };
        var endpoints = new IngressEndpoints(
            options.InstanceName, doors, callers, options.IngressMethods, options.IngressOrigins, limits, time, logger);
        IngressServer server = await StartAsync(endPoint, endpoints, callers, limits, certificate, time, log, cancellationToken);
        string scheme = certificate is null ? "http" : "https";
        string who = callers is null ? $"anybody on this machine; to try them: {scheme}://{server.EndPoint.Authority}/"
            : "callers with a token";
        if (certificate is null && !endPoint.IsLocal)
        {
            CoordinatorLog.IngressInTheClear(logger, options.InstanceName, server.EndPoint.ToString());
        }

        CoordinatorLog.IngressListening(logger, options.InstanceName, server.EndPoint.ToString(), who);
        return server;
    }

    /// <summary>Begins to serve these requests. The callers end with it.</summary>
    internal static async Task<IngressServer> StartAsync(
        EndPointName endPoint, IngressEndpoints endpoints, IngressCallers? callers, IngressLimits limits, IngressCertificate? certificate,
        TimeProvider time, ILoggerProvider log, CancellationToken cancellationToken)
    {
        try
        {
            return new IngressServer(
                await LocalWebServer.StartAsync(
                    endPoint, "--ingress", endpoints.HandleAsync, time, log, cancellationToken,
                    server => Configure(server, limits, certificate, time)),
                endpoints, callers);
        }
        catch
        {
            callers?.Dispose();
            throw;
        }
    }

    /// <summary>Makes a server speak HTTP/1.1 and HTTP/2 at one address, within limits.</summary>
    internal static void Configure(
        KestrelServerOptions server, IngressLimits limits, IngressCertificate? certificate, TimeProvider time)
    {
        Limit(server.Limits, limits);
        server.AllowAlternateSchemes = certificate is null; // Nothing is encrypted then, whatever a connection says of itself.
        server.ConfigureEndpointDefaults(listen => SpeakBoth(listen, limits, certificate, time));
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _endpoints.Dispose(); // First: the server waits for the requests that are open.
        await _server.DisposeAsync();
        _callers?.Dispose();
    }

    private static void SpeakBoth(ListenOptions listen, IngressLimits limits, IngressCertificate? certificate, TimeProvider time)
    {
        listen.Protocols = HttpProtocols.Http1AndHttp2;
        if (certificate is not null)
        {
            listen.Use(next => connection => PlainHttp.ServeAsync(connection, limits.Head, time, next));
            certificate.Encrypt(listen, limits.Head); // Which protocol it is, the handshake says.
            return;
        }

        listen.Use(next => connection => PriorKnowledge.ServeAsync(connection, limits.Head, time, next));
    }

    // The endpoint looks at the size of a body before it reads, so that the answer says which limit it was. The server takes what is not
    // read for five seconds more, and then closes the connection.
    private static void Limit(KestrelServerLimits server, IngressLimits limits)
    {
        server.MaxConcurrentConnections = limits.Connections;
        server.MaxRequestBodySize = null;
        server.MinRequestBodyDataRate = new MinDataRate(limits.BodyRate, limits.BodyGrace);
        server.RequestHeadersTimeout = limits.Head;
    }
}
