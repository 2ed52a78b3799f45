using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>An HTTP server: on a port, or on a Unix socket that only its owner may use. Requests run on the thread pool.</summary>
public sealed class LocalWebServer : IAsyncDisposable
{
    private readonly WebApplication _application;
    private readonly UnixSocketGuard? _guard;

    private LocalWebServer(WebApplication application, UnixSocketGuard? guard, EndPointName endPoint) =>
        (_application, _guard, EndPoint) = (application, guard, endPoint);

    /// <summary>Where it listens: port 0 has become the port that the system chose.</summary>
    public EndPointName EndPoint { get; }

    /// <summary>Begins to serve.</summary>
    /// <param name="endPoint">Where to listen.</param>
    /// <param name="option">The option that named the address, for messages.</param>
    /// <param name="handle">Answers every request.</param>
    /// <param name="time">Clock.</param>
    /// <param name="log">Receives warnings.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <param name="configure">Sets what is otherwise than at an address for people and probes.</param>
    /// <exception cref="CoordinatorException">The address cannot be used.</exception>
    public static async Task<LocalWebServer> StartAsync(
        EndPointName endPoint, string option, RequestDelegate handle, TimeProvider time, ILoggerProvider log,
        CancellationToken cancellationToken, Action<Microsoft.AspNetCore.Server.Kestrel.Core.KestrelServerOptions>? configure = null)
    {
        cancellationToken.ThrowIfCancellationRequested();
        UnixSocketGuard? guard = endPoint.Scheme == EndPointScheme.Unix
            ? await UnixSocketGuard.TakeAsync(endPoint.Host, members: null, time, cancellationToken) : null;
        WebApplication application = Build(endPoint, log, configure);
        ILogger logger = log.CreateLogger("admin");
        application.Run(context => GuardAsync(context, handle, logger));
        try
        {
            // It takes no time, and a stop in this moment the host would log as an error.
            await application.StartAsync(CancellationToken.None);
            return new LocalWebServer(application, guard, Bound(application, endPoint));
        }
        catch (Exception error) when (error is IOException or SocketException)
        {
            await application.DisposeAsync();
            guard?.Dispose();
            throw new CoordinatorException(
                ProcessErrors.CannotListen, $"cannot listen: {error.Message}", $"{option} {endPoint}", "nothing was read or written",
                "choose another port, or port 0 for any free one", error);
        }
    }

    /// <summary>
    /// False for what a web page in somebody's browser could send here: by name resolution it controls (Host gives it away), or across
    /// origins. A GET names no origin, as of an image; where it comes from, browsers say since 2020 (Sec-Fetch-Site). A link to here may be
    /// followed.
    /// </summary>
    public static bool IsFromThisMachine(HttpRequest request) =>
        IsForThisMachine(request)
        && (request.Headers.Origin.Count == 0
            || (request.Headers.Origin.Count == 1 && request.Headers.Origin[0] == $"{SchemeOf(request)}://{request.Host.Value}"))
        && (request.Headers["Sec-Fetch-Site"].ToString() is "" or "same-origin" or "none" || IsLinkFollowed(request));

    /// <summary>Whether it names this machine itself, and no name that somebody has made to stand for it.</summary>
    public static bool IsForThisMachine(HttpRequest request) => EndPointName.Tcp(request.Host.Host.Trim('[', ']'), 0).IsLocal;

    private static bool IsLinkFollowed(HttpRequest request) => HttpMethods.IsGet(request.Method)
        && request.Headers["Sec-Fetch-Mode"] == "navigate" && request.Headers["Sec-Fetch-Dest"] == "document";

    // Of the connection, not of what the request says of itself.
    private static string SchemeOf(HttpRequest request) =>
        request.HttpContext.Features.Get<ITlsHandshakeFeature>() is null ? "http" : "https";

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        _guard?.Dispose();
    }

    /// <summary>Whatever goes wrong with a request is its answer and a line in the log. It concerns nobody else.</summary>
    private static async Task GuardAsync(HttpContext context, RequestDelegate handle, ILogger logger)
    {
        try
        {
            await handle(context);
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            // Nobody waits for the answer any more.
        }
        catch (ClientGoneException)
        {
            // The server may tell so a moment later.
        }
        catch (BadHttpRequestException error) when (!context.Response.HasStarted)
        {
            // A body that ends early, comes too slowly or is no HTTP is its client's doing: the server would call it a mistake of this one.
            context.Response.Clear();
            context.Response.StatusCode = error.StatusCode;
        }
        catch (Exception error) when (error is not (OutOfMemoryException or BadHttpRequestException))
        {
            string request = $"{context.Request.Method} {context.Request.Path}";
            Exception? detail = logger.IsEnabled(LogLevel.Debug) ? error : null;
            CoordinatorLog.RequestFailed(logger, request, $"{error.GetType().Name}: {error.Message}", detail);
            if (context.Response.HasStarted)
            {
                context.Abort(); // Half an answer must not look like a whole one.
                return;
            }

            context.Response.Clear();
            string said = error is CoordinatorException or LogStoreException
                ? error.Message
                : $"{ProcessErrors.RequestMistake} the request failed: {error.GetType().Name} | {request} | the instance goes on | see "
                + $"its log, and report this";
            await WebAnswer.AnswerAsync(context, StatusCodes.Status500InternalServerError, said + "\n");
        }
    }

    private static WebApplication Build(
        EndPointName endPoint, ILoggerProvider log, Action<Microsoft.AspNetCore.Server.Kestrel.Core.KestrelServerOptions>? configure)
    {
        // Empty: no settings file of the working folder, no ASPNETCORE_ variables, no signal handlers of its own.
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        builder.Logging.AddProvider(log).SetMinimumLevel(LogLevel.Warning);
        // The server's own warnings, such as one about its heartbeat when the machine was busy, tell nobody what to do.
        builder.Logging.AddFilter("Microsoft", LogLevel.Error);
        builder.WebHost.UseKestrelCore();
        builder.WebHost.UseSockets(options => options.CreateBoundListenSocket = CreateBoundSocket);
        builder.WebHost.ConfigureKestrel(options =>
        {
            options.AddServerHeader = false;
            options.Limits.MaxRequestBodySize = 0;
            options.Limits.MaxConcurrentConnections = 64;
            configure?.Invoke(options);
            if (endPoint.Scheme == EndPointScheme.Unix)
            {
                options.ListenUnixSocket(endPoint.Host);
            }
            else
            {
                options.Listen(IPAddress.TryParse(endPoint.Host, out IPAddress? address) ? address : IPAddress.Loopback, endPoint.Port);
            }
        });
        return builder.Build();
    }

    /// <summary>What the framework logs with.</summary>
    internal ILoggerFactory Framework => _application.Services.GetRequiredService<ILoggerFactory>();

    private static Socket CreateBoundSocket(EndPoint endPoint)
    {
        if (endPoint is UnixDomainSocketEndPoint)
        {
            var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            UnixSocketGuard.BindPrivately(socket, endPoint.ToString()!, members: null);
            return socket;
        }

        return Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets.SocketTransportOptions.CreateDefaultBoundListenSocket(endPoint);
    }

    private static EndPointName Bound(WebApplication application, EndPointName endPoint)
    {
        if (endPoint.Scheme == EndPointScheme.Unix)
        {
            return endPoint;
        }

        string address = application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
        return endPoint.WithPort(int.Parse(address.AsSpan(address.LastIndexOf(':') + 1), CultureInfo.InvariantCulture));
    }

    /// <summary>Signals belong to the coordinator: it drains first, and goes on answering meanwhile.</summary>
    private sealed class NoLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
