using System.Buffers;
using System.Diagnostics.Metrics;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// The requests of a gateway. Nobody is told anything, and nothing is looked up, before a token has been shown. Only where awakeables are
/// served their addresses are the permission.
/// </summary>
internal sealed class GatewayEndpoints
{
    private static readonly Meter s_meter = new("Ambrosia.Gateway");
    private static readonly Counter<long> s_refusals =
        s_meter.CreateCounter<long>("ambrosia.gateway.refusals", "", "Requests that the gateway itself has refused.");

    private static readonly IngressCaller s_local = new("local", IngressMethods.All);
    private static readonly IngressCaller s_anybody = new("", IngressMethods.All);
    private readonly Forwarder _forwarder;
    private readonly IngressCallers? _callers;
    private readonly IngressLimits _limits;
    private readonly OpenRequests _open;
    private readonly CallRate _rate;
    private readonly GatewayStreams _streams;
    private readonly GatewayReflection _reflection;
    private readonly PagesOfOthers _pages;
    private readonly bool _speaks;
    private readonly bool _servesAwakeables;
    private readonly StopGate _stopping;
    private readonly TimeProvider _time;

    /// <summary>Serves nothing yet.</summary>
    /// <param name="forwarder">Brings calls to instances.</param>
    /// <param name="link">The way to them.</param>
    /// <param name="callers">Which clients may call; null for all on this machine.</param>
    /// <param name="limits">Limits of size and concurrency.</param>
    /// <param name="options">What else was asked for.</param>
    /// <param name="stopping">Says when it ends.</param>
    /// <param name="time">Clock.</param>
    public GatewayEndpoints(
        Forwarder forwarder, InstanceLink link, IngressCallers? callers, IngressLimits limits, GatewayOptions options, StopGate stopping,
        TimeProvider time)
    {
        (_forwarder, _callers, _limits, _stopping, _time) = (forwarder, callers, limits, stopping, time);
        (_open, _rate, _pages) = (new OpenRequests(limits), new CallRate(options.Rate, time), new PagesOfOthers(options.Origins));
        (_speaks, _servesAwakeables) = (options.OwnTokenFile.Length > 0, options.ServesAwakeables);
        _reflection = new GatewayReflection(forwarder, _rate, limits, stopping, time);
        _streams = new GatewayStreams(forwarder, link, _open, _rate, limits, stopping, time, Refused);
    }

    public async Task HandleAsync(HttpContext context)
    {
        if (context.Request.Path == "/healthz")
        {
            await WebAnswer.AnswerAsync(
                context, _stopping.IsClosed ? StatusCodes.Status503ServiceUnavailable : StatusCodes.Status200OK,
                _stopping.IsClosed ? "stopping\n" : "ok\n");
            return;
        }

        // A page sees also that the gateway stops.
        bool isOfPage = _pages.HasSent(context.Request) && (_callers is not null || LocalWebServer.IsForThisMachine(context.Request));
        if (isOfPage && PagesOfOthers.Answer(context))
        {
            return;
        }

        if (!_stopping.TryEnter())
        {
            context.Response.Headers.Connection = "close";
            await TellAsync(context, new Problem(
                StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable, "the gateway stops; come again a little later"));
            return;
        }

        try
        {
            await AdmitAsync(context, isOfPage);
        }
        finally
        {
            _stopping.Leave();
            if (Problem.Of(context) is { } refused)
            {
                Refused(refused);
            }
        }
    }

    private static void Refused(Problem problem) => s_refusals.Add(1, new KeyValuePair<string, object?>("code", problem.Code.Id));

    private static Task TellAsync(HttpContext context, Problem problem) =>
        GrpcRequest.Is(context.Request) ? GrpcAnswer.RefuseAsync(context, problem) : problem.TellAsync(context);

    private async Task AdmitAsync(HttpContext context, bool isOfPage)
    {
        bool isAwakeable = _servesAwakeables && IsForAwakeable(context.Request);
        (IngressCaller? caller, Problem? unknown) = await FindAsync(context, isOfPage);
        caller ??= isAwakeable ? s_anybody : null; // Who shows a token has its own share.
        if (caller is null)
        {
            // One text, whatever was asked for: a client without a token learns nothing.
            string advice = _callers is not null ? "no token that counts here was shown: Authorization: Bearer TOKEN"
                : "only requests from this machine to 127.0.0.1 or localhost, and from web pages only those of --origins";
            await TellAsync(context, unknown ?? new Problem(StatusCodes.Status401Unauthorized, IngressErrors.Unauthenticated, advice));
            return;
        }

        if (!_rate.TryTake(caller.Name, out TimeSpan wait))
        {
            await TellAsync(context, CallRate.TooOften(wait));
            return;
        }

        long bytes = context.Request.ContentLength is { } said && said <= _limits.Body ? said : 0;
        bool isStream = GrpcEndpoint.IsStream(context.Request);
        OpenRequests open = isStream ? _streams.Open : _open;
        if (!open.TryBegin(caller.Name, bytes))
        {
            await TellAsync(context, OpenRequests.Full);
            return;
        }

        var held = new HeldBody(open, caller.Name, bytes);
        context.Features.Set(held);
        try
        {
            await (isStream ? _streams.ServeAsync(context, caller, MeantBy(context.Request, null), HeadersFor(context.Request, caller))
                : GrpcRequest.Is(context.Request) && ReflectionEndpoint.IsFor(context.Request)
                    ? _reflection.ServeAsync(context, caller, MeantBy(context.Request, null), HeadersFor(context.Request, caller))
                : ServeAsync(context, caller));
        }
        finally
        {
            open.End(caller.Name, held.Bytes);
        }
    }

    // Nobody speaks for others here, so a request that names a caller is refused.
    private async ValueTask<(IngressCaller? Caller, Problem? Problem)> FindAsync(HttpContext context, bool isOfPage)
    {
        HttpRequest request = context.Request;
        (IngressCaller? shown, Problem? unknown) = _callers is not null ? await _callers.FindAsync(request, context.RequestAborted)
            : (isOfPage || LocalWebServer.IsFromThisMachine(request) ? s_local : null, null);
        return (shown is null or { IsGateway: true } ? null : SpokenCaller.Of(shown, request, out _), unknown);
    }

    private bool IsForAwakeable(HttpRequest request) => GrpcRequest.Is(request) ? GrpcEndpoint.IsAwakeable(request)
        : HttpMethods.IsPost(request.Method) && GatewayPath.Read(IngressRequest.Read(request, _limits).Path, "") is { IsAwakeable: true };

    private async Task ServeAsync(HttpContext context, IngressCaller caller)
    {
        CancellationToken stopping = _stopping.Ended;
        using var gone = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, stopping);
        ForwardedCall? call = null; // Nothing has left yet.
        try
        {
            call = await ReadAsync(context, caller, gone.Token);
            if (call is null)
            {
                return;
            }

            using var leaving = CancellationTokenSource.CreateLinkedTokenSource(gone.Token, call.IsWatch ? _stopping.Closing : default);
            Forwarded told = await _forwarder.SendAsync(call, leaving.Token);
            using InstanceAnswer? answer = told.Answer;
            Problem? problem = caller.Name.Length == 0 ? ToldToAnybody(told.Problem) : told.Problem;
            await (problem is not null ? TellAsync(context, problem)
                : AnswerRelay.TellAsync(context, answer!, call, _time, _stopping.Closing, gone.Token));
        }
        catch (ProblemException refused)
        {
            await TellAsync(context, refused.Problem);
        }
        catch (ProtocolException error)
        {
            await TellAsync(context, GrpcRequest.NotUnderstood(error));
        }
        catch (OperationCanceledException) when (
            (stopping.IsCancellationRequested || (call is { IsWatch: true } && _stopping.IsClosed))
            && !context.RequestAborted.IsCancellationRequested)
        {
            await TellAsync(context, call is null or { MayRepeat: true }
                ? new Problem(
                    StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable,
                    call is { IsWatch: true } ? "the gateway stops; watch again" : "the gateway stops; repeat it with its key")
                : new Problem(
                    StatusCodes.Status500InternalServerError, IngressErrors.OutcomeUnknown,
                    "the gateway stops, and the call has no key: it may have run", IsFinal: true));
        }
    }

    // A body whose client has shown no token has a time.
    private async Task<ForwardedCall?> ReadAsync(HttpContext context, IngressCaller caller, CancellationToken gone)
    {
        if (caller.Name.Length > 0)
        {
            return await ReadInAsync(gone);
        }

        CallBody.LeaveRate(context.Request);
        return await CallBody.WithinAsync(IngressLimits.Completion, _time, ReadInAsync, gone);

        Task<ForwardedCall?> ReadInAsync(CancellationToken stop) => GrpcRequest.Is(context.Request)
            ? GrpcCallAsync(context, caller, stop) : HttpCallAsync(context, caller, stop);
    }

    // Without a token nobody learns which hosts there are, and what they said.
    private static Problem? ToldToAnybody(Problem? problem) => problem is null ? null
        : problem.Code == IngressErrors.NoSuchInstance ? Problem.NoSuchAwakeable
        : problem with { Detail = "the instance is not reached now; a repeat is safe", InstanceId = null };

    private async Task<ForwardedCall?> HttpCallAsync(HttpContext context, IngressCaller caller, CancellationToken stop)
    {
        HttpRequest request = context.Request;
        IngressRequest read = IngressRequest.Read(request, _limits);
        string asked = request.Query["instance"].ToString();
        GatewayPath path = GatewayPath.Read(read.Path, asked) ?? throw new ProblemException(new Problem(
            StatusCodes.Status404NotFound, IngressErrors.NoSuchMethod,
            "there are POST /v1/immortals/NAME/METHOD, GET /NAME/v1/calls/KEY, POST /NAME/v1/awakeables/ID, GET /NAME/openapi.json, "
                + "GET /NAME/service.proto"));
        bool posts = HttpMethods.IsPost(request.Method);
        if (!posts && !HttpMethods.IsGet(request.Method) && !HttpMethods.IsHead(request.Method))
        {
            context.Response.Headers.Allow = "GET, POST";
            throw new ProblemException(new Problem(StatusCodes.Status405MethodNotAllowed, IngressErrors.NoSuchMethod, "use GET, POST"));
        }

        byte[] body = posts ? await CallBody.ReadAsync(request, _limits.Body, stop) ?? throw new ProblemException(new Problem(
            StatusCodes.Status413PayloadTooLarge, IngressErrors.TooLarge, $"a body has at most {_limits.Body} bytes")) : [];
        IdempotencyKey? key = KeyOf(request, path);
        return new ForwardedCall
        {
            Instance = path.Instance,
            InstanceId = caller.Name.Length > 0 ? MeantBy(request, key) : null, // Who has no token learns no ids.
            Method = HttpMethod.Parse(request.Method),
            Path = path.Text,
            Query = QueryOf(request, dropsInstance: !path.IsCall, dropsWait: read.Malformed.Length == 0),
            Body = body,
            Headers = HeadersFor(request, caller),
            MayRepeat = !posts || path.IsAwakeable || key is not null,
            IsQuery = !posts && path.IsCall,
            IsWatch = path.IsCall && WatchStream.IsWanted(request),
            Sends = read.Sends && posts,
            Wait = read.Wait,
        };
    }

    private async Task<ForwardedCall?> GrpcCallAsync(HttpContext context, IngressCaller caller, CancellationToken stop)
    {
        if (TypedEndpoint.IsFor(context.Request))
        {
            return await TypedCallAsync(context, caller, stop);
        }

        string? method = GrpcRequest.MethodOf(context.Request);
        if (!IngressService.Has(method))
        {
            await GrpcAnswer.RefuseMethodAsync(context);
            return null;
        }

        ReadOnlyMemory<byte> message = await GrpcRequest.ReadAsync(context.Request, _limits.Body, stop);
        (string instance, IngressKey? fields) = method switch
        {
            IngressService.GetCall => IngressLookRequest.Read(message.Span) is var look ? (look.Instance, look.Key) : default,
            IngressService.CompleteAwakeable => (IngressAwakeableRequest.Read(message.Span).Instance, null),
            IngressService.Query or IngressService.Watch => (IngressQueryRequest.Read(message.Span).Instance, null),
            _ => IngressCallRequest.Read(message.Span) is var read ? (read.Instance, read.Key) : default((string, IngressKey?)),
        };
        IdempotencyKey? key = fields is { } given && IdempotencyKey.TryRead(given, out IdempotencyKey known, out _) ? known : null;
        return new ForwardedCall
        {
            Instance = instance,
            InstanceId = caller.Name.Length > 0 ? MeantBy(context.Request, key) : null,
            Method = HttpMethod.Post,
            Path = $"/{IngressService.Name}/{method}",
            Body = GrpcFrame.Of(output => output.Write(message.Span)),
            Headers = HeadersFor(context.Request, caller),
            MayRepeat = key is not null || method is not (IngressService.Call or IngressService.Send),
            IsQuery = method is IngressService.Query or IngressService.Watch,
            IsWatch = method == IngressService.Watch,
            Sends = method == IngressService.Send,
            IsGrpc = true,
            Wait = GrpcEndpoint.WaitOf(context.Request, _limits),
        };
    }

    // Only the instance knows what a typed message says, and which of them are queries: its name stands in the metadata.
    private async Task<ForwardedCall> TypedCallAsync(HttpContext context, IngressCaller caller, CancellationToken stop)
    {
        HttpRequest request = context.Request;
        string[] named = [.. request.Headers[IngressService.InstanceTrailer].OfType<string>()];
        if (named.Length != 1 || named[0].Length == 0)
        {
            throw new ProblemException(new Problem(
                StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood,
                $"say in the metadata which instance is called: {IngressService.InstanceTrailer}: NAME"));
        }

        ReadOnlyMemory<byte> message = await GrpcRequest.ReadAsync(request, _limits.Body, stop);
        IdempotencyKey? key = IngressRequest.KeyOf(request, out _, out _);
        return new ForwardedCall
        {
            Instance = named[0],
            InstanceId = MeantBy(request, key),
            Method = HttpMethod.Post,
            Path = request.Path.Value!,
            Body = GrpcFrame.Of(output => output.Write(message.Span)),
            Headers = HeadersFor(request, caller),
            MayRepeat = key is not null,
            IsGrpc = true,
            IsTyped = true,
            Wait = GrpcEndpoint.WaitOf(request, _limits),
        };
    }

    private static IdempotencyKey? KeyOf(HttpRequest request, GatewayPath path) =>
        path.KeyText is { } text ? IdempotencyKey.TryParse(text, out IdempotencyKey asked, out _) ? asked : null
            : IngressRequest.KeyOf(request, out _, out _);

    private static string? MeantBy(HttpRequest request, IdempotencyKey? key) =>
        MeantBy(request.Headers[GatewayHeaders.InstanceId] is { Count: > 0 } ids ? ids.ToString() : null, key);

    /// <summary>The id of the instance that a call means, by what is said beside it or by its key; one that fits none if these differ.
    /// </summary>
    public static string? MeantBy(string? said, IdempotencyKey? key)
    {
        string? ofKey = key?.InstanceId?.ToString("N");
        return said is null || ofKey is null || said == ofKey ? said ?? ofKey : $"{said}, {ofKey}"; // No instance has two ids.
    }

    // Awakeables have no caller: there the id is the permission.
    private List<KeyValuePair<string, string>> HeadersFor(HttpRequest request, IngressCaller caller)
    {
        List<KeyValuePair<string, string>> headers = [.. HeaderRules.Passing(request)];
        if (_speaks && caller.Name.Length > 0)
        {
            headers.Add(new(GatewayHeaders.Caller, caller.Name));
            headers.Add(new(GatewayHeaders.Methods, caller.Methods.ToString()));
        }

        return headers;
    }

    // As it was sent: bytes that are no UTF-8 are the instance's to refuse, and so is a time that is none.
    private static string QueryOf(HttpRequest request, bool dropsInstance, bool dropsWait) => string.Join(
        '&', (request.QueryString.Value ?? "").TrimStart('?').Split('&', StringSplitOptions.RemoveEmptyEntries).Where(piece =>
        {
            string name = Uri.UnescapeDataString(piece.Split('=')[0].Replace('+', ' '));
            return !(dropsWait && name.Equals("wait", StringComparison.OrdinalIgnoreCase))
                && !(dropsInstance && name.Equals("instance", StringComparison.OrdinalIgnoreCase));
        }));
}
