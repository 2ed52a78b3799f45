using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary><c>POST /v1/immortals/NAME/METHOD</c>: a call, once for its key.</summary>
internal sealed class CallEndpoint(IngressCalls calls, IngressLimits limits)
{
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
        await IngressAnswer.TellAsync(context, await OutcomeAsync(context, request, caller, key, location), location);
    }

    private async Task<IngressOutcome> OutcomeAsync(
        HttpContext context, IngressRequest request, IngressCaller caller, IdempotencyKey? key, string? location)
    {
        try
        {
            byte[] body = await ReadAsync(context);
            var call = new IngressCall(request.Path[3], null, key, IngressForm.Json, body, request.Wait, request.Sends, location);
            return await calls.CallAsync(caller, call, context.RequestAborted);
        }
        catch (ProblemException refused)
        {
            return await calls.RefuseAsync(refused.Problem, caller, key, location, context.RequestAborted);
        }
    }

    private async Task<byte[]> ReadAsync(HttpContext context)
    {
        string kind = (context.Request.ContentType ?? "").Split(';')[0].Trim();
        bool isEmpty = context.Request.ContentLength is 0 or null && kind.Length == 0;
        if (!isEmpty && !kind.Equals("application/json", StringComparison.OrdinalIgnoreCase))
        {
            throw Refused(StatusCodes.Status415UnsupportedMediaType, IngressErrors.NotJson, "the body must be application/json");
        }

        return await CallBody.ReadAsync(context.Request, limits.Body, context.RequestAborted)
            ?? throw Refused(StatusCodes.Status413PayloadTooLarge, IngressErrors.TooLarge, $"a body has at most {limits.Body} bytes");
    }

    private static ProblemException Refused(int status, ErrorCode code, string detail) => new(new Problem(status, code, detail));
}
