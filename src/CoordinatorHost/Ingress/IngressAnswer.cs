using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Protocol;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>What a caller is told of its call (docs/internals/outside-calls.md).</summary>
internal static class IngressAnswer
{
    private const string Json = "application/json";

    /// <summary>Tells it.</summary>
    /// <param name="context">The request.</param>
    /// <param name="reply">What the core says.</param>
    /// <param name="method">The method; null if it is not known.</param>
    /// <param name="location">Where to ask on; null for a call without a key.</param>
    public static Task TellAsync(HttpContext context, in OutsideReply reply, MethodShape? method, string? location) => reply.Kind switch
    {
        OutsideReplyKind.Answer => TellAnswerAsync(context, reply, method),
        OutsideReplyKind.Accepted => TellAcceptedAsync(context, location),
        _ => ProblemOf(reply.Kind).TellAsync(context),
    };

    private static Problem ProblemOf(OutsideReplyKind kind) => kind switch
    {
        OutsideReplyKind.OtherBody => Final(
            StatusCodes.Status409Conflict, IngressErrors.OtherBody,
            "a call with this key was made with another method, other bytes of arguments, or another time"),
        OutsideReplyKind.Forgotten => Final(
            StatusCodes.Status410Gone, IngressErrors.Forgotten, "the key is too old to be known: the call may have run, or not"),
        OutsideReplyKind.Acknowledged => Final(
            StatusCodes.Status410Gone, IngressErrors.Acknowledged, "a later call said with its low that this one is done with"),
        OutsideReplyKind.Future => new Problem(
            StatusCodes.Status400BadRequest, IngressErrors.FromTheFuture, "the key says that it was made more than five minutes from now"),
        OutsideReplyKind.Full => new Problem(
            StatusCodes.Status429TooManyRequests, IngressErrors.ShareFull, "too many calls or answers of this caller are kept"),
        OutsideReplyKind.Unknown => new Problem(
            StatusCodes.Status404NotFound, IngressErrors.NoSuchCall, "no call with this key has run; a copy may still come"),
        OutsideReplyKind.Lost => Final(
            StatusCodes.Status500InternalServerError, IngressErrors.OutcomeUnknown,
            "the answer was lost with a process, and the call has no key: it may have run"),
        _ => new Problem(
            StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable, "the instance starts, drains, or is no primary"),
    };

    private static Problem Final(int status, ErrorCode code, string detail) => new(status, code, detail, IsFinal: true);

    /// <summary>Text of a kind that nobody may keep.</summary>
    public static Task TellAsync(HttpContext context, int status, ReadOnlyMemory<byte> body)
    {
        HttpResponse response = context.Response;
        response.StatusCode = status;
        response.ContentType = Json;
        response.Headers.CacheControl = "no-store";
        response.Headers.XContentTypeOptions = "nosniff";
        response.ContentLength = body.Length;
        return HttpMethods.IsHead(context.Request.Method)
            ? Task.CompletedTask : response.Body.WriteAsync(body, context.RequestAborted).AsTask();
    }

    private static Task TellAnswerAsync(HttpContext context, in OutsideReply reply, MethodShape? method)
    {
        switch ((RpcForm)reply.Form)
        {
            case RpcForm.Value:
                byte[] json = JsonDecoder.Value(reply.Bytes.Span, method?.Result);
                return TellAsync(context, StatusCodes.Status200OK, (byte[])[.. json, (byte)'\n']);
            case RpcForm.Exception:
                HandlerException thrown = HandlerException.Read(reply.Bytes.Span);
                return new Problem(StatusCodes.Status422UnprocessableEntity, IngressErrors.HandlerFailed, thrown.Message, IsFinal: true)
                {
                    Exception = thrown,
                }.TellAsync(context);
            default:
                context.Response.StatusCode = StatusCodes.Status204NoContent;
                context.Response.Headers.CacheControl = "no-store";
                return Task.CompletedTask;
        }
    }

    private static Task TellAcceptedAsync(HttpContext context, string? location)
    {
        var output = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(output, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
        {
            json.WriteStartObject();
            json.WriteString("state", "accepted");
            if (location is not null)
            {
                json.WriteString("location", location);
            }

            json.WriteEndObject();
        }

        if (location is not null)
        {
            context.Response.Headers.Location = location;
            context.Response.Headers.RetryAfter = "1";
        }

        return TellAsync(context, StatusCodes.Status202Accepted, (byte[])[.. output.WrittenSpan, (byte)'\n']);
    }
}
