using System.Buffers;
using System.Globalization;
using System.Text.Encodings.Web;
using System.Text.Json;
using Ambrosia.Coordinator.Outside;
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

    private static readonly JsonWriterOptions s_options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Where the call may be asked for; null for nowhere.</summary>
    public string? Location { get; init; }

    /// <summary>The instance that is served here, if the request was for another one; null if it was not.</summary>
    public string? Serves { get; init; }

    /// <summary>
    /// The id of the instance that is served here, if the request names another one, or none and must; null if not. A client that is told
    /// may name it instead: this request has reached no other one.
    /// </summary>
    public string? InstanceId { get; init; }

    /// <summary>The same for a client that has shown no token: it says neither the name nor the id of the instance.</summary>
    public Problem WithoutNames =>
        InstanceId is null ? this : this with { InstanceId = null, Detail = "the request is for an instance with another id" };

    /// <summary>How long to wait before a repeat, where one is to wait.</summary>
    public TimeSpan Pause { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The exception of a handler; null if it is none.</summary>
    public HandlerException? Exception { get; init; }

    /// <summary>The problem that a request was answered with; null if it was none.</summary>
    public static Problem? Of(HttpContext context) => context.Features.Get<Problem>();

    /// <summary>Why a call is neither answered nor in the log.</summary>
    public static Problem Of(OutsideReplyKind kind) => kind switch
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

    /// <summary>The exception of a handler.</summary>
    public static Problem Of(HandlerException thrown) =>
        Final(StatusCodes.Status422UnprocessableEntity, IngressErrors.HandlerFailed, thrown.Message) with { Exception = thrown };

    /// <summary>The request names another instance.</summary>
    public static Problem Serving(string instance, string named) => new(
        StatusCodes.Status404NotFound, IngressErrors.NoSuchMethod, $"this is {instance}, not {Shapes.JsonPath.Shown(named)}")
    {
        Serves = instance,
    };

    /// <summary>The request names the id of another instance than the one that has the name.</summary>
    public static Problem MeantForAnother(string instance, string id) => new(
        StatusCodes.Status410Gone, IngressErrors.OtherInstance,
        $"the request is for an instance with another id; this {instance} has been made anew, or is another one")
    {
        InstanceId = id,
    };

    /// <summary>The same of a key that names one.</summary>
    public static Problem KeyOfAnother(string instance, string id) => new(
        StatusCodes.Status410Gone, IngressErrors.OtherInstance,
        $"the key is for an instance with another id; this {instance} has been made anew, or is another one, and has not got the call. "
            + "The one that the key names may have run it")
    {
        InstanceId = id,
    };

    /// <summary>Each start of the instance knows only its own keys, and the key does not say which start it is for.</summary>
    public static Problem KeyWithoutInstance(string instance, string id) => new(
        StatusCodes.Status400BadRequest, IngressErrors.KeyWithoutInstance,
        $"{instance} keeps its log in memory and will forget every key when it ends, so a key must name this start, over gRPC in its "
            + $"instance_id: \"order-42\";t=1795439000;id=\"{id}\"")
    {
        InstanceId = id,
    };

    /// <summary>Nobody was given such an id.</summary>
    public static Problem NoSuchAwakeable { get; } = new(
        StatusCodes.Status404NotFound, IngressErrors.NoSuchAwakeable,
        "no such id was given out here; POST /v1/awakeables/ID and /v1/awakeables/ID/reject, or CompleteAwakeable of gRPC, take one that "
            + "was");

    /// <summary>It was completed otherwise, rejected, closed, or its deadline has come.</summary>
    public static Problem AwakeableNotOpen { get; } = Final(
        StatusCodes.Status410Gone, IngressErrors.AwakeableNotOpen,
        "it was completed with something else, rejected or closed, or its time is over");

    /// <summary>It is no value that the awakeable takes, whether that is open or not.</summary>
    public static Problem AwakeableNotUnderstood(string detail) =>
        new(StatusCodes.Status422UnprocessableEntity, IngressErrors.AwakeableNotUnderstood, detail);

    /// <summary>Answers a request with it.</summary>
    public Task TellAsync(HttpContext context)
    {
        context.Features.Set(this);
        HttpResponse response = context.Response;
        response.StatusCode = Status;
        response.ContentType = ContentType;
        response.Headers.CacheControl = "no-store";
        response.Headers.XContentTypeOptions = "nosniff";
        response.Headers[GatewayHeaders.Code] = Code.Id;
        if (Status is StatusCodes.Status429TooManyRequests or StatusCodes.Status503ServiceUnavailable)
        {
            response.Headers.RetryAfter = Math.Ceiling(Pause.TotalSeconds).ToString(CultureInfo.InvariantCulture);
        }

        if (Status == StatusCodes.Status401Unauthorized)
        {
            response.Headers.WWWAuthenticate = "Bearer";
        }

        if (Location is not null)
        {
            response.Headers.Location = Location;
        }

        if (InstanceId is not null)
        {
            response.Headers[GatewayHeaders.InstanceId] = InstanceId;
        }

        byte[] body = [.. ToJson(), (byte)'\n'];
        response.ContentLength = body.Length;
        return HttpMethods.IsHead(context.Request.Method)
            ? Task.CompletedTask : response.Body.WriteAsync(body, context.RequestAborted).AsTask();
    }

    private static Problem Final(int status, ErrorCode code, string detail) => new(status, code, detail, IsFinal: true);

    /// <summary>It as one line of JSON.</summary>
    public byte[] ToJson()
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

        return output.WrittenSpan.ToArray();
    }
}
