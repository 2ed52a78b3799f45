using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>The typed service of the app's interface, over gRPC (docs/internals/typed-grpc.md).</summary>
internal sealed class TypedEndpoint(IngressCalls calls, CurrentShapes shapes, IngressLimits limits)
{
    private const string Packages = "/ambrosia.apps.";
    private const int Growth = 4; // Members that are not sent have names in JSON.

    /// <summary>Whether a request is for one: a gateway passes such a path on as it is.</summary>
    public static bool IsFor(HttpRequest request) => request.Path.Value is { } path
        && path.StartsWith(Packages, StringComparison.Ordinal)
        && path.Split('/') is [_, var service, var method]
        && service.All(static c => char.IsAsciiLetterOrDigit(c) || c is '_' or '.')
        && method.All(static c => char.IsAsciiLetterOrDigit(c) || c == '_');

    public async Task HandleAsync(HttpContext context, IngressCaller caller)
    {
        IdempotencyKey? key = IngressRequest.KeyOf(context.Request, out _, out string reason);
        try
        {
            if (reason.Length > 0)
            {
                throw Refused(StatusCodes.Status400BadRequest, IngressErrors.BadKey, $"idempotency-key: {reason}");
            }

            await CallAsync(context, caller, key);
        }
        catch (ProblemException refused)
        {
            IngressOutcome outcome = await calls.RefuseAsync(
                refused.Problem, caller, key, IngressService.GetCall, context.RequestAborted);
            await GrpcAnswer.RefuseAsync(context, outcome.Problem ?? refused.Problem);
        }
    }

    private async Task CallAsync(HttpContext context, IngressCaller caller, IdempotencyKey? key)
    {
        ReadOnlyMemory<byte> message = await GrpcRequest.ReadAsync(context.Request, limits.Body, context.RequestAborted);
        ProtoMethod method = Find(context.Request.Path.Value!, caller);
        TimeSpan wait = GrpcEndpoint.WaitOf(context.Request, limits);
        byte[] arguments = Read(message, method);

        // They wait for the answer, not the message. One call alone always fits.
        context.Features.Get<HeldBody>()?.Arrived(Math.Min(arguments.Length, limits.BodiesOfOne));
        IngressOutcome outcome;
        if (method.Shape.IsQuery && key is null)
        {
            (MethodShape query, byte[] packed) = IngressCalls.ReadQuery([method.Shape], arguments);
            (outcome, ulong record) = await calls.AskAsync(caller, query, packed, 0, wait, context.RequestAborted);
            calls.SayRecord(context.Response, record);
        }
        else
        {
            var call = new IngressCall(
                method.Shape.Name, method.Shape.Id, key, IngressForm.Json, arguments, wait, Sends: false,
                key is null ? null : IngressService.GetCall)
            {
                Compared = key is null ? arguments : ProtoToJson.Compared(message, method.Request, (long)limits.Body * Growth),
            };
            outcome = await calls.CallAsync(caller, call, context.RequestAborted);
        }

        await TellAsync(context, outcome, method, key is not null);
    }

    private ProtoMethod Find(string path, IngressCaller caller)
    {
        ProtoService service = shapes.Service ?? throw new ProblemException(CurrentShapes.None);
        ProtoMethod? found = service.Methods.FirstOrDefault(method => path == $"/{service.FullName}/{method.Name}");
        return found is null || !calls.Offers(found.Shape, caller)
            ? throw Refused(
                StatusCodes.Status404NotFound, IngressErrors.NoSuchMethod,
                $"{JsonPath.Shown(path)} is no method of {service.FullName} that is offered to {caller.Name}; "
                    + $"GET {caller.Prefix}/service.proto lists them")
            : found.Missing is { } missing
            ? throw Refused(
                StatusCodes.Status404NotFound, IngressErrors.NoSuchMethod,
                $"{found.Name} is not in the typed service: {missing}; {IngressService.Name} calls it")
            : found;
    }

    private byte[] Read(ReadOnlyMemory<byte> message, ProtoMethod method)
    {
        try
        {
            return ProtoToJson.Convert(message, method.Request, (long)limits.Body * Growth);
        }
        catch (ProtoValueException error)
        {
            throw IngressCalls.NotUnderstood($"the message is no {method.Request.Name}: {error.Message}");
        }
    }

    // An exception is a status that no library tries again by itself. So is an answer that today's message has no place for.
    private static Task TellAsync(HttpContext context, in IngressOutcome outcome, ProtoMethod method, bool hasKey)
    {
        if (outcome.Problem is { } problem)
        {
            return GrpcAnswer.RefuseAsync(context, problem);
        }

        OutsideReply reply = outcome.Reply;
        if (reply.Kind == OutsideReplyKind.Accepted)
        {
            return GrpcAnswer.RefuseAsync(context, new Problem(
                StatusCodes.Status504GatewayTimeout, IngressErrors.NotKnownInTime, hasKey
                    ? "the call is in the log and not answered yet: repeat it with the same key"
                    : "the call is in the log and not answered yet: it has no key, so its answer cannot be asked for"));
        }

        if ((RpcForm)reply.Form == RpcForm.Exception)
        {
            HandlerException thrown = HandlerException.Read(reply.Bytes.Span);
            return GrpcAnswer.RefuseAsync(context, new Problem(
                StatusCodes.Status422UnprocessableEntity, IngressErrors.HandlerFailed, $"{thrown.Type}: {thrown.Message}", IsFinal: true));
        }

        try
        {
            byte[] message = method.Reply.Fields.Count == 0 ? [] : JsonToProto.Convert(
                (RpcForm)reply.Form == RpcForm.Value ? JsonDecoder.Value(reply.Bytes.Span, method.Shape.Result) : "null"u8.ToArray(),
                method.Reply);
            return GrpcAnswer.TellAsync(context, output => System.Buffers.BuffersExtensions.Write(output, message));
        }
        catch (ProtoValueException error)
        {
            return GrpcAnswer.RefuseAsync(context, new Problem(
                StatusCodes.Status422UnprocessableEntity, IngressErrors.AnswerDoesNotFit, error.Message));
        }
    }

    private static ProblemException Refused(int status, ErrorCode code, string detail) => new(new Problem(status, code, detail));
}
