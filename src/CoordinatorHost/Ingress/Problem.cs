using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>Why a request has no result, as RFC 9457 writes it.</summary>
/// <param name="Status">Status of HTTP.</param>
/// <param name="Code">Which failure this is.</param>
/// <param name="Detail">What is wrong this time.</param>
/// <param name="IsFinal">Whether each repeat will be told the same.</param>
internal sealed record Problem(int Status, ErrorCode Code, string Detail, bool IsFinal = false)
{
    /// <summary>How a problem's content is called.</summary>
    public const string ContentType = "application/problem+json";

    private static readonly object s_told = new();
    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Where the call may be asked for; null for nowhere.</summary>
    public string? Location { get; init; }

    /// <summary>The exception of a handler; null if it is none.</summary>
    public HandlerException? Exception { get; init; }

    /// <summary>The problem that a request was answered with; null if it was none.</summary>
    public static Problem? Of(HttpContext context) =>
        context.Response.StatusCode < StatusCodes.Status400BadRequest ? null : context.Items[s_told] as Problem;

    /// <summary>Answers a request with it.</summary>
    public Task TellAsync(HttpContext context)
    {
        context.Items[s_told] = this;
        HttpResponse response = context.Response;
        response.StatusCode = Status;
        response.ContentType = ContentType;
        response.Headers.CacheControl = "no-store";
        response.Headers.XContentTypeOptions = "nosniff";
        if (Status is StatusCodes.Status429TooManyRequests or StatusCodes.Status503ServiceUnavailable)
        {
            response.Headers.RetryAfter = "1";
        }

        if (Status == StatusCodes.Status401Unauthorized)
        {
            response.Headers.WWWAuthenticate = "Bearer";
        }

        if (Location is not null)
        {
            response.Headers.Location = Location;
        }

        byte[] body = Bytes();
        response.ContentLength = body.Length;
        return HttpMethods.IsHead(context.Request.Method)
            ? Task.CompletedTask : response.Body.WriteAsync(body, context.RequestAborted).AsTask();
    }

    private byte[] Bytes()
    {
        var output = new ArrayBufferWriter<byte>(512);
        using (var json = new Utf8JsonWriter(output, s_options))
        {
            json.WriteStartObject();
            json.WriteString("type", $"urn:ambrosia:error:{Code.Id}");
            json.WriteString("title", Code.Title);
            json.WriteNumber("status", Status);
            json.WriteString("detail", Detail);
            json.WriteString("code", Code.Id);
            json.WriteBoolean("final", IsFinal);
            Exception?.Write(json);
            json.WriteEndObject();
        }

        return [.. output.WrittenSpan, (byte)'\n'];
    }
}
