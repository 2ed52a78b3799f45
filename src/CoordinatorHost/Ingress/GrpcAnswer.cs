using System.Buffers;
using System.Globalization;
using System.Text;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// What a caller over gRPC is told: an answer or "accepted" as a message, a refusal as a status. An exception of a handler is a message:
/// clients and proxies try statuses again, and this one stays as it is.
/// </summary>
internal static class GrpcAnswer
{
    private const int MostMessage = 1024; // Bytes. Trailers have bounds everywhere, of 8 KiB in Java; a byte may take three there.

    /// <summary>Tells it.</summary>
    /// <param name="context">The request.</param>
    /// <param name="outcome">What it is.</param>
    /// <param name="form">How results are wanted.</param>
    public static Task TellAsync(HttpContext context, in IngressOutcome outcome, IngressForm form) =>
        outcome.Problem is { } problem ? RefuseAsync(context, problem) : TellAsync(context, ReplyOf(outcome, form).Write);

    /// <summary>Tells a message.</summary>
    public static Task TellAsync(HttpContext context, Action<IBufferWriter<byte>> write)
    {
        byte[] message = GrpcFrame.Of(write);
        End(context);
        return context.Response.Body.WriteAsync(message, context.RequestAborted).AsTask();
    }

    /// <summary>Tells one message of several; <see cref="End"/> follows the last.</summary>
    public static async Task TellNextAsync(HttpContext context, Action<IBufferWriter<byte>> write, CancellationToken stop)
    {
        if (!context.Response.HasStarted)
        {
            Begin(context);
        }

        await context.Response.BodyWriter.WriteAsync(GrpcFrame.Of(write), stop);
    }

    /// <summary>All has been told, and nothing was wrong.</summary>
    public static void End(HttpContext context)
    {
        if (!context.Response.HasStarted)
        {
            Begin(context);
        }

        context.Response.AppendTrailer("grpc-status", "0");
    }

    /// <summary>Tells that there is no result.</summary>
    public static Task RefuseAsync(HttpContext context, Problem problem)
    {
        context.Features.Set(problem);
        int status = StatusOf(problem.Status);
        string message = Shortened(problem.Detail);
        byte[] details = IngressStatus.Write(status, message, problem.Code.Id, problem.IsFinal);
        return RefuseAsync(context, status, MessageOf(problem, message), headers =>
        {
            headers[IngressService.CodeTrailer] = problem.Code.Id;
            headers[IngressService.FinalTrailer] = problem.IsFinal ? "true" : "false";
            if (problem.Serves is not null)
            {
                headers[IngressService.InstanceTrailer] = problem.Serves;
            }

            if (problem.InstanceId is not null)
            {
                headers[IngressService.InstanceIdHeader] = problem.InstanceId;
            }

            headers["grpc-status-details-bin"] = Convert.ToBase64String(details).TrimEnd('=');
        });
    }

    /// <summary>Tells what an instance has refused.</summary>
    public static Task RefuseAsync(HttpContext context, IngressRefusal refusal) =>
        RefuseAsync(context, refusal.Status, refusal.Message, headers =>
        {
            if (refusal.Code.Length > 0)
            {
                headers[IngressService.CodeTrailer] = refusal.Code;
                headers[IngressService.FinalTrailer] = refusal.IsFinal ? "true" : "false";
            }
        });

    /// <summary>The service has no such method, or there is no such service.</summary>
    public static Task RefuseMethodAsync(HttpContext context) =>
        RefuseAsync(context, 12, $"{IngressService.Name} has no such method, or not here: see ingress.proto", static _ => { });

    private static void Begin(HttpContext context)
    {
        context.Response.StatusCode = StatusCodes.Status200OK;
        context.Response.ContentType = "application/grpc";
    }

    // Without a message, trailers stand in the head.
    private static Task RefuseAsync(HttpContext context, int status, string message, Action<IHeaderDictionary> add)
    {
        if (!context.Response.HasStarted)
        {
            Begin(context);
        }

        IHeaderDictionary headers = context.Response.HasStarted
            ? context.Features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers : context.Response.Headers;
        headers["grpc-status"] = status.ToString(CultureInfo.InvariantCulture);
        headers["grpc-message"] = Escaped(message);
        add(headers);
        return Task.CompletedTask;
    }

    /// <summary>The same of one call among others, which has no status of its own.</summary>
    public static IngressRefusal RefusalOf(Problem problem) => new(
        StatusOf(problem.Status), problem.Code.Id, MessageOf(problem, Shortened(problem.Detail)), problem.IsFinal, problem.Serves ?? "")
    {
        InstanceId = problem.InstanceId ?? "",
    };

    private static string MessageOf(Problem problem, string message) => $"{problem.Code.Id} {problem.Code.Title}: {message}";

    private static int StatusOf(int status) => status switch
    {
        // INVALID_ARGUMENT
        StatusCodes.Status400BadRequest or StatusCodes.Status413PayloadTooLarge or StatusCodes.Status415UnsupportedMediaType => 3,
        StatusCodes.Status504GatewayTimeout => 4, // DEADLINE_EXCEEDED
        StatusCodes.Status404NotFound or StatusCodes.Status405MethodNotAllowed => 5, // NOT_FOUND
        StatusCodes.Status409Conflict => 6, // ALREADY_EXISTS
        StatusCodes.Status429TooManyRequests => 8, // RESOURCE_EXHAUSTED
        // FAILED_PRECONDITION, which no library tries again by itself: what is gone, and what a query has thrown.
        StatusCodes.Status410Gone or StatusCodes.Status422UnprocessableEntity => 9,
        StatusCodes.Status503ServiceUnavailable => 14, // UNAVAILABLE
        StatusCodes.Status401Unauthorized => 16, // UNAUTHENTICATED
        _ => 2, // UNKNOWN: a call without a key lost its answer.
    };

    /// <summary>An answer, or "accepted".</summary>
    public static IngressReply ReplyOf(in IngressOutcome outcome, IngressForm form)
    {
        OutsideReply reply = outcome.Reply;
        if (reply.Kind == OutsideReplyKind.Accepted)
        {
            return new IngressReply(IngressReplyKind.Accepted);
        }

        switch ((RpcForm)reply.Form)
        {
            case RpcForm.Value when form == IngressForm.Json:
                return new IngressReply(IngressReplyKind.Json, JsonDecoder.Value(reply.Bytes.Span, outcome.Method?.Result));
            case RpcForm.Value:
                return new IngressReply(IngressReplyKind.MessagePack, reply.Bytes);
            case RpcForm.Exception:
                HandlerException thrown = HandlerException.Read(reply.Bytes.Span);
                return new IngressReply(IngressReplyKind.Exception, form == IngressForm.Json ? default : reply.Bytes)
                {
                    ExceptionType = thrown.Type,
                    ExceptionMessage = thrown.Message,
                    ExceptionData = thrown.Data ?? "",
                };
            default:
                return new IngressReply(IngressReplyKind.Nothing);
        }
    }

    private static string Shortened(string message)
    {
        Encoding.UTF8.GetEncoder().Convert(message, stackalloc byte[MostMessage], flush: true, out int fitting, out _, out _);
        return message[..fitting];
    }

    // Bytes that are no visible ASCII, and percent signs, as %XX.
    private static string Escaped(string message)
    {
        var text = new StringBuilder(message.Length + 16);
        foreach (byte each in Encoding.UTF8.GetBytes(message))
        {
            if (each is >= 0x20 and <= 0x7e and not (byte)'%')
            {
                text.Append((char)each);
            }
            else
            {
                text.Append(CultureInfo.InvariantCulture, $"%{each:X2}");
            }
        }

        return text.ToString();
    }
}
