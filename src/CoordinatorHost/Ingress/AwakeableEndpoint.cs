using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// <c>POST /v1/awakeables/ID</c> completes an awakeable with the value in the body, <c>POST /v1/awakeables/ID/reject</c> rejects it. No
/// token is asked for: every client that was given the id may (docs/internals/outside-calls.md X29).
/// </summary>
internal sealed class AwakeableEndpoint(AwakeableCompletions completions, IngressLimits limits)
{
    private static readonly string[] s_place = ["v1", "awakeables"];
    private static readonly string s_rejection = "reject";
    private static readonly byte[] s_taken = [.. "{\"taken\":true}\n"u8];

    /// <summary>Whether a request is for this, or asks the same by gRPC.</summary>
    public static bool IsFor(HttpRequest request) => GrpcRequest.Is(request) ? GrpcEndpoint.IsAwakeable(request)
        : request.Path.StartsWithSegments("/v1/awakeables", StringComparison.Ordinal);

    /// <summary>What a request names, and whether it rejects it; null if it is not known here, which it has been told then.</summary>
    public (AwakeableId Id, AwakeableForm Form)? Find(IngressRequest request, out Problem? problem)
    {
        bool rejects = request.Path.Count == 4 && request.Path[3] == s_rejection;
        AwakeableId id = default;
        problem = request.Path.Take(s_place.Length).SequenceEqual(s_place) && (request.Path.Count == 3 || rejects)
            ? completions.RefusalOf(request.Path[2], out id) : Problem.NoSuchAwakeable;
        return problem is null ? (id, rejects ? AwakeableForm.Rejection : AwakeableForm.Value) : null;
    }

    public async Task HandleAsync(
        HttpContext context, IngressRequest request, AwakeableId id, AwakeableForm form, string prefix)
    {
        IngressOutcome outcome;
        try
        {
            byte[] sent = await CallBody.ReadJsonAsync(context, limits.Body);
            Problem? refusal = request.Malformed.Length == 0 ? null
                : new Problem(StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, request.Malformed);
            outcome = await completions.CompleteAsync(
                id, new SentCompletion(form, IngressForm.Json, sent), refusal, request.Wait, context.RequestAborted);
        }
        catch (ProblemException refused)
        {
            outcome = IngressOutcome.Of(refused.Problem);
        }

        bool isTaken = outcome is { Problem: null, Reply.Kind: OutsideReplyKind.Answer };
        await (isTaken ? IngressAnswer.TellAsync(context, StatusCodes.Status200OK, s_taken)
            : IngressAnswer.TellAsync(context, outcome, prefix + context.Request.Path));
    }
}
