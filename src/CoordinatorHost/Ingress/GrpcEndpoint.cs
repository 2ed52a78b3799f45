using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>The service <c>ambrosia.v1.Ingress</c>: what HTTP and JSON do, over gRPC
/// (<c>src/Protocol/Ingress/ambrosia/v1/ingress.proto</c>).</summary>
internal sealed class GrpcEndpoint(
    string instance, IngressCalls calls, QueryWatches watches, CallStreams streams, IngressLimits limits, TimeProvider time)
{
    private static readonly TimeSpan s_margin = TimeSpan.FromSeconds(1);

    /// <summary>Whether a request is a stream of calls.</summary>
    public static bool IsStream(HttpRequest request) =>
        GrpcRequest.Is(request) && GrpcRequest.MethodOf(request) == IngressService.Calls;

    /// <summary>Whether a request completes an awakeable, for which no caller need be known.</summary>
    public static bool IsAwakeable(HttpRequest request) =>
        GrpcRequest.Is(request) && GrpcRequest.MethodOf(request) == IngressService.CompleteAwakeable;

    public async Task HandleAsync(HttpContext context, IngressCaller caller)
    {
        string? method = GrpcRequest.MethodOf(context.Request);
        if (method == IngressService.Calls)
        {
            await new CallStream(context, caller.Name, streams, (call, wait, gone) => CallAsync(caller, call, wait, gone)).ServeAsync();
            return;
        }

        if (!IngressService.Has(method))
        {
            await GrpcAnswer.RefuseMethodAsync(context);
            return;
        }

        try
        {
            ReadOnlyMemory<byte> message = await GrpcRequest.ReadAsync(context.Request, limits.Body, context.RequestAborted);
            TimeSpan wait = WaitOf(context.Request, limits);
            await (method == IngressService.GetCall ? LookAsync(context, caller, IngressLookRequest.Read(message.Span), wait)
                : method == IngressService.Watch ? WatchAsync(context, caller, IngressQueryRequest.Read(message.Span), wait)
                : method == IngressService.Query ? QueryAsync(context, caller, IngressQueryRequest.Read(message.Span), wait)
                : CallAsync(context, caller, IngressCallRequest.Read(message.Span), wait, sends: method == IngressService.Send));
        }
        catch (ProblemException refused)
        {
            await GrpcAnswer.RefuseAsync(context, refused.Problem);
        }
        catch (ProtocolException error)
        {
            await GrpcAnswer.RefuseAsync(context, GrpcRequest.NotUnderstood(error));
        }
    }

    /// <summary>How long a request waits: less than its client, so that "accepted" arrives before the client's deadline does.</summary>
    internal static TimeSpan WaitOf(HttpRequest request, IngressLimits limits)
    {
        TimeSpan wait = limits.Wait;
        if (GrpcRequest.TimeoutOf(request) is { } timeout)
        {
            wait = timeout - (timeout / 5 < s_margin ? timeout / 5 : s_margin);
        }

        return wait < limits.MostWait ? wait : limits.MostWait;
    }

    private async Task CallAsync(HttpContext context, IngressCaller caller, IngressCallRequest request, TimeSpan wait, bool sends) =>
        await GrpcAnswer.TellAsync(context, await CallAsync(caller, request, wait, sends, context.RequestAborted), request.Form);

    /// <summary>The call; it has a key, because after a stream that broke nobody knows which calls have come.</summary>
    /// <exception cref="ProblemException">It has none.</exception>
    internal static IngressCallRequest RequireKey(IngressStreamedCall call) =>
        call.Call is { Key: not null } request ? request
            : throw new ProblemException(new Problem(
                StatusCodes.Status400BadRequest, IngressErrors.BadKey, "a call on a stream has a key, so that it can be sent again"));

    private async Task<StreamedAnswer> CallAsync(
        IngressCaller caller, IngressStreamedCall call, TimeSpan wait, CancellationToken gone)
    {
        IngressCallRequest request = RequireKey(call);
        if (call.InstanceId.Length > 0 && calls.IsOther(instance, call.InstanceId) is { } other)
        {
            return StreamedAnswer.Of(other);
        }

        return StreamedAnswer.Of(await CallAsync(caller, request, wait, call.Sends, gone), request.Form);
    }

    private Task<IngressOutcome> CallAsync(
        IngressCaller caller, IngressCallRequest request, TimeSpan wait, bool sends, CancellationToken gone)
    {
        RequireInstance(request.Instance);
        IdempotencyKey? key = request.Key is { } fields ? KeyOf(fields) : null;
        var call = new IngressCall(
            request.Method, request.MethodId, key, request.Form, request.Arguments.ToArray(), wait, sends, key is null ? null
            : IngressService.GetCall);
        return calls.CallAsync(caller, call, gone);
    }

    private async Task LookAsync(HttpContext context, IngressCaller caller, IngressLookRequest request, TimeSpan wait)
    {
        RequireInstance(request.Instance);
        IdempotencyKey key = KeyOf(request.Key);
        await GrpcAnswer.TellAsync(context, await calls.LookAsync(caller, key, request.Method, wait, context.RequestAborted), request.Form);
    }

    private async Task QueryAsync(HttpContext context, IngressCaller caller, IngressQueryRequest request, TimeSpan wait)
    {
        RequireInstance(request.Instance);
        (IngressOutcome outcome, ulong record) = await calls.QueryAsync(caller, request, wait, context.RequestAborted);
        ReadOnlyMemory<byte> result = request.Form == IngressForm.MessagePack ? outcome.Reply.Bytes
            : JsonDecoder.Value(outcome.Reply.Bytes.Span, outcome.Method?.Result);
        calls.SayInstance(context.Response);
        await GrpcAnswer.TellAsync(context, new IngressQueryReply(request.Form, result, record).Write);
    }

    // The request is not kept for as long as the stream lasts.
    private Task WatchAsync(HttpContext context, IngressCaller caller, IngressQueryRequest request, TimeSpan wait)
    {
        RequireInstance(request.Instance);
        (MethodShape method, byte[] packed) = calls.ReadQuery(caller, request);
        return WatchAsync(context, watches.Enter(caller.Name, method, packed), request.AtLeast, wait, request.Form);
    }

    private async Task WatchAsync(HttpContext context, WatchPlace place, ulong atLeast, TimeSpan wait, IngressForm form)
    {
        using (place)
        {
            await new WatchStream(context, place, calls, limits, time).TellMessagesAsync(atLeast, wait, form);
        }
    }

    private void RequireInstance(string name)
    {
        if (name != instance)
        {
            throw new ProblemException(Problem.Serving(instance, name));
        }
    }

    private static IdempotencyKey KeyOf(in IngressKey fields) => IdempotencyKey.TryRead(fields, out IdempotencyKey key, out string reason)
        ? key : throw new ProblemException(new Problem(StatusCodes.Status400BadRequest, IngressErrors.BadKey, $"the key: {reason}"));
}
