using System.Diagnostics.Metrics;
using System.Text;
using System.Text.Json.Nodes;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.CoordinatorHost.Page;
using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Settings;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// The requests of the address for calls from outside. A client is told nothing before it has shown a token. Without tokens only this
/// machine is answered, and no web page in its browser but those of origins that are listed.
/// </summary>
/// <param name="instance">Name of the instance.</param>
/// <param name="doors">Where requests enter the core.</param>
/// <param name="callers">Which clients may call; null for all on this machine.</param>
/// <param name="offered">Which methods may be called.</param>
/// <param name="origins">Pages of which other origins may call.</param>
/// <param name="limits">Limits.</param>
/// <param name="time">Clock.</param>
/// <param name="logger">Receives warnings.</param>
internal sealed class IngressEndpoints(
    string instance, IngressDoors doors, IngressCallers? callers, IngressMethods offered, IngressOrigins origins, IngressLimits limits,
    TimeProvider time, ILogger logger) : IDisposable
{
    private static readonly Meter s_meter = new("Ambrosia.Ingress");
    private static readonly Counter<long> s_refusals =
        s_meter.CreateCounter<long>("ambrosia.outside.refusals", "", "Requests from outside that were refused.");

    private static readonly UpDownCounter<long> s_watches =
        s_meter.CreateUpDownCounter<long>("ambrosia.outside.watches", "", "Streams of clients that watch a query.");

    private static readonly IngressCaller s_local = new("local", IngressMethods.All);
    private readonly KeyValuePair<string, object?> _instance = new(LogStoreMetrics.InstanceTag, instance);
    private readonly CurrentShapes _shapes = new(doors.Told, offered, callers, time, logger);
    private readonly OpenRequests _open = new(limits);
    private readonly OpenRequests _queries = new(limits with { Requests = limits.Queries, RequestsOfOne = limits.QueriesOfOne });
    // Completions whose id has not arrived yet: the share of awakeables is for those that were given out.
    private readonly OpenRequests _unproven = new(limits with { RequestsOfOne = limits.Requests });
    // Clients keep one open while they call. What arrives on it is small: large calls come alone.
    private readonly OpenRequests _streams = new(
        limits with { Requests = limits.Streams.Open, RequestsOfOne = limits.Streams.OpenOfOne, MostBodies = limits.MostBodies / 4 });

    private readonly PagesOfOthers _pages = new(origins);
    private readonly CancellationTokenSource _closing = new();
    private IngressCalls? _calls;
    private QueryWatches? _watches;
    private CallStreams? _callStreams;

    private IngressCalls Calls => _calls ??= new IngressCalls(
        doors.Calls, doors.Query, _shapes, offered, _queries, new KeyScope(instance, doors.Calls, doors.LogEndsWithProcess), time);

    private QueryWatches Watches => LazyInitializer.EnsureInitialized(
        ref _watches, () => new QueryWatches(Calls.AskAppAsync, Calls.IsCurrent, limits, time)
        {
            Counted = count => s_watches.Add(count, _instance),
            Failed = (query, error) => CoordinatorLog.RequestFailed(
                logger, $"a watch of {query}", $"{error.GetType().Name}: {error.Message}", logger.IsEnabled(LogLevel.Debug) ? error : null),
        });

    private CallStreams Streams => _callStreams ??= new CallStreams(_open, limits, time, Refused, _closing.Token);

    /// <summary>What is watched ends, and streams of calls do.</summary>
    public void Dispose()
    {
        _closing.Cancel();
        Watches.Dispose();
    }

    public async Task HandleAsync(HttpContext context)
    {
        bool isOfPage = _pages.HasSent(context.Request) && (callers is not null || LocalWebServer.IsForThisMachine(context.Request));
        if (isOfPage && PagesOfOthers.Answer(context))
        {
            return;
        }

        try
        {
            await (AwakeableEndpoint.IsFor(context.Request) ? AdmitAwakeableAsync(context) : AdmitAsync(context, isOfPage));
        }
        finally
        {
            if (Problem.Of(context) is { } refused)
            {
                Refused(refused);
            }
        }
    }

    private void Refused(Problem problem)
    {
        if (problem.Exception is null && problem.Code != IngressErrors.NoSuchCall)
        {
            s_refusals.Add(1, _instance, new("code", problem.Code.Id));
        }
    }

    private async Task AdmitAsync(HttpContext context, bool isOfPage)
    {
        (IngressCaller? caller, Problem? unknown) = callers is not null
            ? await callers.FindAsync(context.Request, context.RequestAborted)
            : (isOfPage || LocalWebServer.IsFromThisMachine(context.Request) ? s_local : null, null);
        if (caller is null)
        {
            string advice = callers is not null ? "no token that counts here was shown: Authorization: Bearer TOKEN"
                : "only requests from this machine to 127.0.0.1 or localhost, and from web pages only those of --ingress-origins";
            await TellAsync(context, unknown ?? new Problem(StatusCodes.Status401Unauthorized, IngressErrors.Unauthenticated, advice));
            return;
        }

        if (SpokenCaller.Of(caller, context.Request, out string reason) is not { } spoken)
        {
            await TellAsync(context, new Problem(StatusCodes.Status401Unauthorized, IngressErrors.Unauthenticated, reason));
            return;
        }

        if (IsOtherInstance(context.Request) is { } other)
        {
            await TellAsync(context, other);
            return;
        }

        spoken = spoken with { Prefix = PrefixFor(context.Request, caller) };
        await ServeAsync(context, spoken.Name, () => AnswerAsync(context, spoken));
    }

    // A gateway that names no caller may only ask who is here.
    private Task AnswerAsync(HttpContext context, IngressCaller caller) => caller.IsGateway
        ? context.Request.Path == "/v1/instance" ? TellInstanceAsync(context) : TellAsync(context, new Problem(
            StatusCodes.Status401Unauthorized, IngressErrors.Unauthenticated, $"a gateway says with {GatewayHeaders.Caller} who calls"))
        : GrpcRequest.Is(context.Request) && IsForAnother(context.Request) is { } other ? GrpcAnswer.RefuseAsync(context, other)
        : GrpcRequest.Is(context.Request) && TypedEndpoint.IsFor(context.Request)
            ? new TypedEndpoint(Calls, _shapes, limits).HandleAsync(context, caller)
        : GrpcRequest.Is(context.Request) && ReflectionEndpoint.IsFor(context.Request)
            ? new ReflectionEndpoint(Calls, _shapes, limits, time).HandleAsync(context, caller)
        : GrpcRequest.Is(context.Request) ? new GrpcEndpoint(instance, Calls, Watches, Streams, limits, time).HandleAsync(context, caller)
        : RouteAsync(context, caller);

    // A typed message names no instance, and neither does a question by reflection: the metadata may, as it must at a gateway.
    private Problem? IsForAnother(HttpRequest request) =>
        (TypedEndpoint.IsFor(request) || ReflectionEndpoint.IsFor(request))
            && request.Headers[IngressService.InstanceTrailer].FirstOrDefault(name => name != instance) is { } named
            ? Problem.Serving(instance, named) : null;

    // Looked at before anything is admitted. A process that is no primary refuses all calls, so that it need not know.
    private Problem? IsOtherInstance(HttpRequest request)
    {
        if (request.Headers[GatewayHeaders.InstanceId] is not { Count: > 0 } meant)
        {
            return null;
        }

        return Calls.IsOther(instance, meant.ToString());
    }

    private Task TellInstanceAsync(HttpContext context) => doors.Calls.InstanceId is not { } id
        ? Problem.Of(OutsideReplyKind.Unavailable).TellAsync(context)
        : IngressAnswer.TellAsync(
            context, StatusCodes.Status200OK, Encoding.UTF8.GetBytes(
                new JsonObject { ["instance"] = instance, ["id"] = id.ToString("N") }.ToJsonString() + "\n"));

    // No token: the id is the permission. All awakeables are one caller, so that they leave the share of others.
    private async Task AdmitAwakeableAsync(HttpContext context)
    {
        var completions = new AwakeableCompletions(doors.Awakeables, _shapes, Calls);
        // Who has shown no token is told no id and no name.
        await (IsOtherInstance(context.Request) is { } other ? TellAsync(context, other.WithoutNames)
            : GrpcRequest.Is(context.Request) ? AdmitAwakeableAsync(context, new GrpcAwakeableEndpoint(instance, completions, limits, time))
            : AdmitAwakeableAsync(context, new AwakeableEndpoint(completions, limits)));
    }

    private async Task AdmitAwakeableAsync(HttpContext context, GrpcAwakeableEndpoint endpoint)
    {
        if (!_unproven.TryBegin(OutsideNames.Awakeables, 0))
        {
            await TellAsync(context, OpenRequests.Full);
            return;
        }

        AwakeableId id;
        Problem? problem;
        try
        {
            (id, problem) = await endpoint.FindAsync(context.Request, context.RequestAborted);
        }
        finally
        {
            _unproven.End(OutsideNames.Awakeables, 0);
        }

        await (problem is not null ? TellAsync(context, problem)
            : ServeAsync(context, OutsideNames.Awakeables, () => endpoint.HandleAsync(context, id)));
    }

    private async Task AdmitAwakeableAsync(HttpContext context, AwakeableEndpoint endpoint)
    {
        IngressRequest request = IngressRequest.Read(context.Request, limits);
        if (endpoint.Find(request, out Problem? problem) is not { } found)
        {
            await problem!.TellAsync(context);
        }
        else if (!HttpMethods.IsPost(context.Request.Method))
        {
            await WrongMethodAsync(context, "POST");
        }
        else
        {
            await ServeAsync(
                context, OutsideNames.Awakeables,
                () => endpoint.HandleAsync(
                    context, request, found.Id, found.Form, PrefixFor(context.Request, callers?.OfFile(context.Request))));
        }
    }

    // The path of this instance at a gateway. A token says whose it is. Where there are none the header is believed: a client that
    // sends it without being a gateway misleads nobody else.
    private string PrefixFor(HttpRequest request, IngressCaller? shown) =>
        (callers is null ? request.Headers.ContainsKey(GatewayHeaders.Gateway) : shown is { IsGateway: true })
            ? $"/{Uri.EscapeDataString(instance)}" : "";

    // Counts what is open of a caller.
    private async Task ServeAsync(HttpContext context, string caller, Func<Task> serve)
    {
        long bytes = SizeOf(context);
        OpenRequests open = GrpcEndpoint.IsStream(context.Request) ? _streams : _open;
        if (!open.TryBegin(caller, bytes))
        {
            await TellAsync(context, OpenRequests.Full);
            return;
        }

        var held = new HeldBody(open, caller, bytes);
        context.Features.Set(held);
        try
        {
            await serve();
        }
        finally
        {
            open.End(caller, held.Bytes);
        }
    }

    // As it says; one that says that it is too large is not read.
    private long SizeOf(HttpContext context) =>
        context.Request.ContentLength is { } said && said <= limits.Body ? said : 0;

    private static Task TellAsync(HttpContext context, Problem problem) =>
        GrpcRequest.Is(context.Request) ? GrpcAnswer.RefuseAsync(context, problem) : problem.TellAsync(context);

    private Task RouteAsync(HttpContext context, IngressCaller caller)
    {
        IngressRequest request = IngressRequest.Read(context.Request, limits);
        bool isCall = HttpMethods.IsPost(context.Request.Method) && request.Path is ["v1", "immortals", _, _];
        if (request.Malformed.Length > 0 && !isCall)
        {
            return new Problem(StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, request.Malformed).TellAsync(context);
        }

        string method = HttpMethods.IsHead(context.Request.Method) ? "GET" : context.Request.Method;
        return (method, request.Path) switch
        {
            ("POST", ["v1", "immortals", var name, _]) when name == instance =>
                new CallEndpoint(Calls, limits).HandleAsync(context, request, caller),
            ("GET", ["v1", "immortals", var name, _]) when name == instance =>
                new QueryEndpoint(Calls, Watches, limits, time).HandleAsync(context, request, caller),
            (_, ["v1", "immortals", var name, _]) when name == instance => WrongMethodAsync(context, "GET, POST"),
            (_, ["v1", "immortals", var name, _]) => Problem.Serving(instance, name).TellAsync(context),
            ("GET", ["v1", "calls", var key]) => LookAsync(context, request, key, caller),
            (_, ["v1", "calls", _]) => WrongMethodAsync(context, "GET"),
            ("GET", ["v1", "instance"]) => TellInstanceAsync(context),
            ("GET", ["openapi.json"]) => DescribeAsync(context, caller),
            ("GET", ["service.proto"]) => DescribeServiceAsync(context, caller),
            ("GET", []) when callers is null => PageAsync(context, "try.html"),
            ("GET", ["page", var file]) when callers is null => PageAsync(context, file),
            _ => NotFoundAsync(
                context, $"POST /v1/immortals/{instance}/METHOD, GET /v1/calls/KEY, POST /v1/awakeables/ID, GET /openapi.json"),
        };
    }

    // Calls tried by hand. Only without tokens: a browser shows none when it loads a page, and an unauthenticated client is to learn
    // nothing.
    private static Task PageAsync(HttpContext context, string file)
    {
        PageEndpoints.Confine(context.Response.Headers);
        return PageEndpoints.FileAsync(context, file);
    }

    private Task DescribeAsync(HttpContext context, IngressCaller caller) => _shapes.Value is not { } app
        ? CurrentShapes.None.TellAsync(context)
        : IngressAnswer.TellAsync(
            context, StatusCodes.Status200OK,
            OpenApiDocument.Write(instance, app, Calls.MethodsFor(app, caller), callers is not null, caller.Prefix));

    private Task DescribeServiceAsync(HttpContext context, IngressCaller caller)
    {
        if (_shapes.Service is not { } service)
        {
            return CurrentShapes.None.TellAsync(context);
        }

        IEnumerable<ProtoMethod> mine = service.Methods.Where(method => Calls.Offers(method.Shape, caller));
        return WebAnswer.AnswerAsync(context, StatusCodes.Status200OK, ProtoText.Write(service, [.. mine]));
    }

    private async Task LookAsync(HttpContext context, IngressRequest request, string text, IngressCaller caller)
    {
        if (!IdempotencyKey.TryParse(text, out IdempotencyKey key, out string reason))
        {
            await new Problem(StatusCodes.Status400BadRequest, IngressErrors.BadKey, $"the key: {reason}").TellAsync(context);
            return;
        }

        string name = context.Request.Query["method"].ToString();
        IngressOutcome outcome = await Calls.LookAsync(caller, key, name, request.Wait, context.RequestAborted);
        await IngressAnswer.TellAsync(context, outcome, caller.Prefix + CallEndpoint.LocationOf(text, name));
    }

    private static Task WrongMethodAsync(HttpContext context, string allowed)
    {
        context.Response.Headers.Allow = allowed;
        return new Problem(StatusCodes.Status405MethodNotAllowed, IngressErrors.NoSuchMethod, $"use {allowed}").TellAsync(context);
    }

    private static Task NotFoundAsync(HttpContext context, string detail) =>
        new Problem(StatusCodes.Status404NotFound, IngressErrors.NoSuchMethod, detail).TellAsync(context);
}
