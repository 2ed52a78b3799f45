using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// <c>POST /v1/awakeables/ID</c> completes an awakeable with the value in the body, <c>POST /v1/awakeables/ID/reject</c> rejects it. No
/// token is asked for: every client that was given the id may (docs/internals/outside-calls.md X29).
/// </summary>
internal sealed class AwakeableEndpoint(IAwakeableEntrance entrance, CurrentShapes shapes, IngressCalls calls, IngressLimits limits)
{
    private static readonly string[] s_place = ["v1", "awakeables"];
    private static readonly string s_rejection = "reject";
    private static readonly string s_reason = "reason";
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(2);
    private static readonly byte[] s_taken = [.. "{\"taken\":true}\n"u8];

    /// <summary>Whether a request is for this.</summary>
    public static bool IsFor(HttpRequest request) =>
        request.Path.StartsWithSegments("/v1/awakeables", StringComparison.Ordinal) && !GrpcRequest.Is(request);

    /// <summary>What a request names, and whether it rejects it; null if it is not known here, which it has been told then.</summary>
    public (AwakeableId Id, AwakeableForm Form)? Find(IngressRequest request, out Problem? problem)
    {
        bool rejects = request.Path.Count == 4 && request.Path[3] == s_rejection;
        problem = Problem.NoSuchAwakeable;
        if (!request.Path.Take(s_place.Length).SequenceEqual(s_place) || (request.Path.Count != 3 && !rejects)
            || !AwakeableId.TryParse(request.Path[2], out AwakeableId id))
        {
            return null;
        }

        problem = entrance.RefusalOf(id) switch
        {
            null => null,
            OutsideReplyKind.Unavailable => Problem.Of(OutsideReplyKind.Unavailable),
            _ => Problem.NoSuchAwakeable,
        };
        return problem is null ? (id, rejects ? AwakeableForm.Rejection : AwakeableForm.Value) : null;
    }

    public async Task HandleAsync(
        HttpContext context, IngressRequest request, AwakeableId id, AwakeableForm form, string prefix)
    {
        IngressOutcome outcome;
        try
        {
            byte[] sent = await CallBody.ReadJsonAsync(context, limits.Body);
            ulong hash = CallBody.HashOf((int)form, IngressForm.Json, sent);
            CancellationToken gone = context.RequestAborted;
            Problem? refusal = request.Malformed.Length == 0 ? null
                : new Problem(StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood, request.Malformed);
            outcome = refusal is null && Encode(id, form, sent, out refusal) is { } body
                ? await calls.WaitAsync(request.Wait, async stop => Of(await SubmitAsync(id, form, body, hash, stop)), gone)
                : await calls.WaitAsync(s_look, async stop => OfRefused(await entrance.LookAsync(id, hash, stop), refusal!), gone);
        }
        catch (ProblemException refused)
        {
            outcome = IngressOutcome.Of(refused.Problem);
        }

        bool isTaken = outcome is { Problem: null, Reply.Kind: OutsideReplyKind.Answer };
        await (isTaken ? IngressAnswer.TellAsync(context, StatusCodes.Status200OK, s_taken)
            : IngressAnswer.TellAsync(context, outcome, prefix + context.Request.Path));
    }

    private Task<OutsideReply> SubmitAsync(AwakeableId id, AwakeableForm form, byte[] body, ulong hash, CancellationToken stop)
    {
        try
        {
            return entrance.CompleteAsync(id, form, body, hash, stop);
        }
        catch (ArgumentException)
        {
            throw new ProblemException(new Problem(
                StatusCodes.Status413PayloadTooLarge, IngressErrors.TooLarge, "the value is larger than --max-message-size"));
        }
    }

    // What is said of a completion that is in the log.
    private static IngressOutcome Of(in OutsideReply reply)
    {
        if (reply.Kind != OutsideReplyKind.Answer || (RpcForm)reply.Form != RpcForm.Value)
        {
            return (reply.Kind, (RpcForm)reply.Form) switch
            {
                (OutsideReplyKind.Unknown, _) => IngressOutcome.Of(Problem.NoSuchAwakeable),
                (OutsideReplyKind.Answer, RpcForm.Exception) => IngressOutcome.Of(Problem.Of(HandlerException.Read(reply.Bytes.Span))),
                (OutsideReplyKind.Answer, _) => IngressOutcome.Of(Problem.AwakeableNotOpen),
                _ => IngressOutcome.Of(reply, null),
            };
        }

        ReadOnlySpan<byte> said = reply.Bytes.Span;
        return said.SequenceEqual([AwakeableCompletion.Taken]) ? new IngressOutcome(reply, null, null)
            : said.SequenceEqual([AwakeableCompletion.NotOpen]) ? IngressOutcome.Of(Problem.AwakeableNotOpen)
            : IngressOutcome.Of(Problem.AwakeableNotUnderstood($"the app says: {Encoding.UTF8.GetString(JsonDecoder.Value(said, null))}"));
    }

    // One that an earlier version of the app has taken stays taken, whatever today's says of it (X24).
    private static IngressOutcome OfRefused(in OutsideReply reply, Problem refusal) =>
        reply.Kind == OutsideReplyKind.Unknown ? IngressOutcome.Of(refusal) : Of(reply);

    // The bytes that complete it; null with the reason.
    private byte[]? Encode(AwakeableId id, AwakeableForm form, byte[] sent, out Problem? refusal)
    {
        refusal = null;
        try
        {
            bool isEmpty = form == AwakeableForm.Rejection && sent.Length == 0;
            using JsonDocument document = JsonDocument.Parse(isEmpty ? "{}"u8.ToArray() : sent, IngressCalls.Json);
            if (form == AwakeableForm.Rejection)
            {
                return Reason(document.RootElement);
            }

            AppShape app = shapes.Value ?? throw new ProblemException(CurrentShapes.None);
            if (app.Awakeables.TryGetValue(id.Type, out TypeShape? type))
            {
                return JsonEncoder.Value(document.RootElement, type);
            }

            refusal = Problem.AwakeableNotUnderstood("the app that runs now has no awakeables of this type");
        }
        catch (JsonException error)
        {
            refusal = Problem.AwakeableNotUnderstood($"the body is no JSON: {error.Message}");
        }
        catch (JsonValueException error)
        {
            refusal = Problem.AwakeableNotUnderstood(error.Message);
        }
        catch (InvalidOperationException)
        {
            refusal = Problem.AwakeableNotUnderstood("a text of the body holds half a character");
        }

        return null;
    }

    private static byte[] Reason(JsonElement body)
    {
        if (body.ValueKind != JsonValueKind.Object
            || body.EnumerateObject().Any(static member => member.Name != s_reason || member.Value.ValueKind != JsonValueKind.String))
        {
            throw new JsonValueException("$", """{"reason":"text"} belongs here, or nothing""");
        }

        byte[] reason = body.TryGetProperty(s_reason, out JsonElement text) ? Encoding.UTF8.GetBytes(text.GetString()!) : [];
        return reason.Length <= AwakeableCompletion.MaxReason ? reason
            : throw new JsonValueException("$.reason", $"it has more than {AwakeableCompletion.MaxReason} bytes");
    }
}
