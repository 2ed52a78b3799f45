using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary><c>POST /v1/immortals/NAME/METHOD</c>: a call, once for its key.</summary>
internal sealed class CallEndpoint(IngressCalls calls, IngressLimits limits)
{
    private static readonly HashSet<string> s_known = new(["mode", "wait"], StringComparer.OrdinalIgnoreCase);

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

        string? location = key is null ? null : caller.Prefix + LocationOf(keyText, name);
        await IngressAnswer.TellAsync(context, await OutcomeAsync(context, request, caller, key, location), location);
    }

    private async Task<IngressOutcome> OutcomeAsync(
        HttpContext context, IngressRequest request, IngressCaller caller, IdempotencyKey? key, string? location)
    {
        try
        {
            if (request.Malformed.Length > 0)
            {
                throw IngressCalls.NotUnderstood(request.Malformed);
            }

            await RequireKnownAsync(context, caller, key);
            byte[] body = await CallBody.ReadJsonAsync(context, limits.Body);
            var call = new IngressCall(request.Path[3], null, key, IngressForm.Json, body, request.Wait, request.Sends, location);
            return await calls.CallAsync(caller, call, context.RequestAborted);
        }
        catch (ProblemException refused)
        {
            return await calls.RefuseAsync(refused.Problem, caller, key, location, context.RequestAborted);
        }
    }

    // A name that is misspelt would be taken for one that was left out. A call that is in the log came when that was no mistake.
    private async Task RequireKnownAsync(HttpContext context, IngressCaller caller, IdempotencyKey? key)
    {
        string? strange = context.Request.Query.Keys.FirstOrDefault(static name => !s_known.Contains(name));
        if (strange is not null && !(key is { } given && await calls.HasAsync(caller, given, context.RequestAborted)))
        {
            throw IngressCalls.NotUnderstood(
                $"the URL has {JsonPath.Shown(strange)}, which a call does not know; it knows {string.Join(" and ", s_known)}");
        }
    }
}
