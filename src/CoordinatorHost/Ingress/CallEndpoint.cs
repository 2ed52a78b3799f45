using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.CoordinatorHost.Shapes;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary><c>POST /v1/immortals/NAME/METHOD</c>: a call, once for its key.</summary>
internal sealed class CallEndpoint(
    IOutsideEntrance entrance, CurrentShapes shapes, IngressMethods offered, IngressLimits limits, TimeProvider time)
{
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(2);
    private static readonly JsonDocumentOptions s_json = new() { MaxDepth = 64 };

    /// <summary>The methods of this name that a caller may call.</summary>
    public MethodShape[] MethodsFor(AppShape app, string name, IngressCaller caller)
    {
        int dot = name.LastIndexOf('.');
        string of = dot < 0 ? "" : name[..dot];
        return of.Length > 0 && of != app.Interface && of != app.ShortName ? []
            : [.. app.Methods.Where(method => method.Name == name[(dot + 1)..] && offered.Offers(method) && caller.Methods.Offers(method))];
    }

    /// <summary>Where a call is asked for.</summary>
    public static string LocationOf(string key, string method) =>
        $"/v1/calls/{Uri.EscapeDataString(key)}?method={Uri.EscapeDataString(method)}";

    public async Task HandleAsync(HttpContext context, IngressRequest request, IngressCaller caller)
    {
        string name = request.Path[3];
        IdempotencyKey? key = IngressRequest.KeyOf(context.Request, out string keyText, out string reason);
        if (reason.Length > 0)
        {
            await new Problem(StatusCodes.Status400BadRequest, IngressErrors.BadKey, $"Idempotency-Key: {reason}").TellAsync(context);
            return;
        }

        string? location = key is null ? null : LocationOf(keyText, name);
        OutsideKey? known = key is { } given ? IngressRequest.Of(given, caller) : null;
        try
        {
            (MethodShape method, byte[] body, byte[] arguments) = await ReadAsync(context, name, caller);
            var call = new OutsideSubmission(known, method.Id, arguments, CallBody.HashOf(method.Id, body));
            using var patience = new CancellationTokenSource(request.Wait, time);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, context.RequestAborted);
            await IngressAnswer.TellAsync(context, await Submit(call, request.Sends, either.Token), method, location);
        }
        catch (ProblemException refused)
        {
            await RefuseAsync(context, refused.Problem, known, location);
        }
        catch (OperationCanceledException) when (!context.RequestAborted.IsCancellationRequested)
        {
            await NotKnown.TellAsync(context);
        }
    }

    // Its size is looked at before it waits for anything.
    private Task<OutsideReply> Submit(OutsideSubmission call, bool sends, CancellationToken stop)
    {
        try
        {
            return sends ? entrance.SendAsync(call, stop) : entrance.CallAsync(call, stop);
        }
        catch (ArgumentException)
        {
            throw Refused(StatusCodes.Status413PayloadTooLarge, IngressErrors.TooLarge, "the arguments are larger than --max-message-size");
        }
    }

    /// <summary>The log could not say in time what is true of a call.</summary>
    public static Problem NotKnown { get; } = new(
        StatusCodes.Status504GatewayTimeout, IngressErrors.NotKnownInTime, "the log has not said yet whether it has the call");

    /// <summary>
    /// Who is told that a call was not understood may take it for one that never ran. So one that an earlier version of the app has taken,
    /// and that today's would not, is found and not refused.
    /// </summary>
    private async Task RefuseAsync(HttpContext context, Problem problem, OutsideKey? key, string? location)
    {
        if (key is not { } known || problem.Status == StatusCodes.Status503ServiceUnavailable)
        {
            await problem.TellAsync(context);
            return;
        }

        using var patience = new CancellationTokenSource(s_look, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(patience.Token, context.RequestAborted);
        try
        {
            OutsideReply reply = await entrance.LookAsync(known, either.Token);
            await (reply.Kind switch
            {
                OutsideReplyKind.Answer or OutsideReplyKind.Accepted or OutsideReplyKind.OtherBody => new Problem(
                    StatusCodes.Status409Conflict, IngressErrors.OtherBody,
                    $"a call with this key is in the log, and this one is not understood ({problem.Detail}); ask for the first at {location}",
                    IsFinal: true)
                {
                    Location = location,
                }.TellAsync(context),
                OutsideReplyKind.Unknown or OutsideReplyKind.Future or OutsideReplyKind.Full => problem.TellAsync(context),
                _ => IngressAnswer.TellAsync(context, reply, null, location),
            });
        }
        catch (OperationCanceledException) when (!context.RequestAborted.IsCancellationRequested)
        {
            await NotKnown.TellAsync(context);
        }
    }

    private async Task<(MethodShape Method, byte[] Body, byte[] Arguments)> ReadAsync(
        HttpContext context, string name, IngressCaller caller)
    {
        string kind = (context.Request.ContentType ?? "").Split(';')[0].Trim();
        bool isEmpty = context.Request.ContentLength is 0 or null && kind.Length == 0;
        if (!isEmpty && !kind.Equals("application/json", StringComparison.OrdinalIgnoreCase))
        {
            throw Refused(StatusCodes.Status415UnsupportedMediaType, IngressErrors.NotJson, "the body must be application/json");
        }

        byte[] body = await CallBody.ReadAsync(context.Request, limits.Body, context.RequestAborted)
            ?? throw Refused(StatusCodes.Status413PayloadTooLarge, IngressErrors.TooLarge, $"a body has at most {limits.Body} bytes");
        AppShape app = shapes.Value
            ?? throw new ProblemException(CurrentShapes.None);
        MethodShape[] methods = MethodsFor(app, name, caller);
        if (methods.Length == 0)
        {
            throw Refused(
                StatusCodes.Status404NotFound, IngressErrors.NoSuchMethod,
                $"{JsonPath.Shown(name)} is no method of {app.ShortName} that is offered to {caller.Name}; GET /openapi.json lists them");
        }

        try
        {
            using JsonDocument document = JsonDocument.Parse(body.Length == 0 ? "{}"u8.ToArray() : body, s_json);
            (MethodShape method, byte[] arguments) = Encode(document.RootElement, methods);
            return (method, body, arguments);
        }
        catch (JsonException error)
        {
            throw Refused(StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, $"the body is no JSON: {error.Message}");
        }
        catch (JsonValueException error)
        {
            throw Refused(StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, error.Message);
        }
        catch (InvalidOperationException)
        {
            throw Refused(StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, "a text of the body holds half a character");
        }
    }

    // Of several methods of one name, the first that takes these arguments: the names of its parameters choose.
    private static (MethodShape Method, byte[] Arguments) Encode(JsonElement body, MethodShape[] methods)
    {
        var reasons = new StringBuilder();
        foreach (MethodShape method in methods)
        {
            try
            {
                return (method, JsonEncoder.Arguments(body, method));
            }
            catch (JsonValueException error) when (methods.Length > 1)
            {
                reasons.Append(reasons.Length == 0 ? "" : "; or ").Append(error.Message);
            }
        }

        throw new JsonValueException("$", $"no method of this name takes it: {reasons}");
    }

    private static ProblemException Refused(int status, ErrorCode code, string detail) => new(new Problem(status, code, detail));
}
