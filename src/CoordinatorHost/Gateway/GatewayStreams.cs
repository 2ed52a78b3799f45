using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Streams of calls through a gateway (outside-calls.md, "Streams through a gateway"). Each call is taken as at an instance, and brought to
/// its instance as one that has come alone; only what it travels on is shared.
/// </summary>
internal sealed class GatewayStreams
{
    private static readonly string s_call = $"/{IngressService.Name}/{IngressService.Call}";
    private static readonly string s_send = $"/{IngressService.Name}/{IngressService.Send}";
    private readonly Forwarder _forwarder;
    private readonly InstanceLink _link;
    private readonly CallRate _rate;
    private readonly StopGate _stopping;
    private readonly CallStreams _streams;
    private readonly LoneRoutes _alone;

    /// <param name="forwarder">Brings calls to instances.</param>
    /// <param name="link">The way to them.</param>
    /// <param name="open">The requests that are being answered: each call is one of them.</param>
    /// <param name="rate">How often each caller may come: each call counts.</param>
    /// <param name="limits">Limits.</param>
    /// <param name="stopping">Says when the gateway ends.</param>
    /// <param name="time">Clock.</param>
    /// <param name="refused">Told of each call that the gateway itself has refused.</param>
    public GatewayStreams(
        Forwarder forwarder, InstanceLink link, OpenRequests open, CallRate rate, IngressLimits limits, StopGate stopping,
        TimeProvider time, Action<Problem> refused)
    {
        (_forwarder, _link, _rate, _stopping, _alone) = (forwarder, link, rate, stopping, new LoneRoutes(time));
        _streams = new CallStreams(open, limits, time, refused, stopping.Ended) { Draining = stopping.Closing, PassesOn = true };
        Open = new OpenRequests(limits with
        {
            Requests = limits.Streams.Open, RequestsOfOne = limits.Streams.OpenOfOne, MostBodies = limits.MostBodies / 4,
        });
    }

    /// <summary>The streams that are open, and what has arrived of messages on them.</summary>
    public OpenRequests Open { get; }

    /// <summary>Serves one to its end.</summary>
    /// <param name="context">The request.</param>
    /// <param name="caller">Whose it is.</param>
    /// <param name="instanceId">The id of the instance that it means; null if it names none.</param>
    /// <param name="headers">Headers that are passed on.</param>
    public async Task ServeAsync(
        HttpContext context, IngressCaller caller, string? instanceId, IReadOnlyList<KeyValuePair<string, string>> headers)
    {
        Forwarder? forwarder = null;
        var stream = new CallStream(
            context, caller.Name, _streams, (call, wait, gone) => AskAsync(caller, instanceId, headers, forwarder!, call, wait, gone));
        using var way = new StreamLink(_link, headers, _alone, stream, _streams.Time);
        forwarder = _forwarder.By(way);
        await stream.ServeAsync();
    }

    private async Task<StreamedAnswer> AskAsync(
        IngressCaller caller, string? instanceId, IReadOnlyList<KeyValuePair<string, string>> headers, Forwarder forwarder,
        IngressStreamedCall call, TimeSpan wait, CancellationToken gone)
    {
        if (_stopping.IsClosed)
        {
            return Stops("come again a little later");
        }

        if (!_rate.TryTake(caller.Name, out TimeSpan pause))
        {
            return StreamedAnswer.Of(CallRate.TooOften(pause));
        }

        IngressCallRequest request = GrpcEndpoint.RequireKey(call);
        IdempotencyKey? key = IdempotencyKey.TryRead(request.Key!.Value, out IdempotencyKey known, out _) ? known : null;
        try
        {
            Forwarded told = await forwarder.SendAsync(
                new ForwardedCall
                {
                    Instance = request.Instance,
                    InstanceId = GatewayEndpoints.MeantBy(call.InstanceId.Length > 0 ? call.InstanceId : instanceId, key),
                    Method = HttpMethod.Post,
                    Path = call.Sends ? s_send : s_call,
                    Body = call.Written,
                    Headers = headers,
                    MayRepeat = key is not null,
                    Sends = call.Sends,
                    IsGrpc = true,
                    Wait = wait,
                },
                gone);
            return told.Streamed is { } said ? StreamedAnswer.Of(said) : StreamedAnswer.Of(told.Problem!);
        }
        catch (OperationCanceledException) when (gone.IsCancellationRequested && _stopping.Ended.IsCancellationRequested)
        {
            return Stops("repeat it with its key");
        }
    }

    private static StreamedAnswer Stops(string advice) => StreamedAnswer.Of(new Problem(
        StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable, $"the gateway stops; {advice}"));
}
