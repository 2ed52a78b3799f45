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
    /// <param name="outcome">What it is.</param>
    /// <param name="location">Where to ask on; null for a call without a key.</param>
    public static Task TellAsync(HttpContext context, in IngressOutcome outcome, string? location) => outcome switch
    {
        { Problem: { } problem } => problem.TellAsync(context),
        { Reply.Kind: OutsideReplyKind.Answer } => TellAnswerAsync(context, outcome.Reply, outcome.Method),
        _ => TellAcceptedAsync(context, location),
    };

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
                return Problem.Of(HandlerException.Read(reply.Bytes.Span)).TellAsync(context);
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
