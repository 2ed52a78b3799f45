using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Outside;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// Completes awakeables, and says what became of that: the same for HTTP and gRPC, so that each rule stands once
/// (docs/internals/outside-calls.md X29).
/// </summary>
internal sealed class AwakeableCompletions(IAwakeableEntrance entrance, CurrentShapes shapes, IngressCalls calls)
{
    private static readonly string s_reason = "reason";
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(2);
    private static readonly JsonElement s_null = JsonDocument.Parse("null").RootElement;

    /// <summary>Why an id is not completed here; null if it was given out.</summary>
    /// <param name="text">The id as it was sent.</param>
    /// <param name="id">The id.</param>
    public Problem? RefusalOf(string text, out AwakeableId id) =>
        !AwakeableId.TryParse(text, out id) ? Problem.NoSuchAwakeable : entrance.RefusalOf(id) switch
        {
            null => null,
            OutsideReplyKind.Unavailable => Problem.Of(OutsideReplyKind.Unavailable),
            _ => Problem.NoSuchAwakeable,
        };

    /// <summary>Completes one.</summary>
    /// <param name="id">Names it: it was given out.</param>
    /// <param name="sent">What was sent.</param>
    /// <param name="refusal">What else is wrong with the request; null for nothing.</param>
    /// <param name="wait">How long the client waits.</param>
    /// <param name="gone">It waits no more.</param>
    /// <exception cref="ProblemException">It cannot be said what the app takes, or the value is too large.</exception>
    public Task<IngressOutcome> CompleteAsync(
        AwakeableId id, SentCompletion sent, Problem? refusal, TimeSpan wait, CancellationToken gone) =>
        refusal is null && Encode(id, sent, out refusal) is { } body
            ? calls.WaitAsync(wait, async stop => Of(await SubmitAsync(id, sent, body, stop)), gone)
            : calls.WaitAsync(s_look, async stop => OfRefused(await entrance.LookAsync(id, sent.Hash, stop), refusal!), gone);

    private Task<OutsideReply> SubmitAsync(AwakeableId id, in SentCompletion sent, byte[] body, CancellationToken stop)
    {
        try
        {
            return entrance.CompleteAsync(id, sent.Form, body, sent.Hash, stop);
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
    private byte[]? Encode(AwakeableId id, in SentCompletion sent, out Problem? refusal)
    {
        refusal = null;
        try
        {
            return sent.Kind == IngressForm.Json ? OfJson(id, sent)
                : sent.Form == AwakeableForm.Rejection ? Bounded(sent.Bytes)
                : OfMessagePack(sent.Bytes, TypeOf(id));
        }
        catch (JsonException error)
        {
            refusal = Problem.AwakeableNotUnderstood($"the body is no JSON: {error.Message}");
        }
        catch (JsonValueException error)
        {
            refusal = Problem.AwakeableNotUnderstood(error.Message);
        }
        catch (PackException error)
        {
            refusal = Problem.AwakeableNotUnderstood($"the value is not one of MessagePack: {error.Message}");
        }
        catch (InvalidOperationException)
        {
            refusal = Problem.AwakeableNotUnderstood("a text of the body holds half a character");
        }

        return null;
    }

    private byte[] OfJson(AwakeableId id, in SentCompletion sent)
    {
        bool isEmpty = sent.Form == AwakeableForm.Rejection && sent.Bytes.Length == 0;
        using JsonDocument document = JsonDocument.Parse(isEmpty ? "{}"u8.ToArray() : sent.Bytes, IngressCalls.Json);
        return sent.Form == AwakeableForm.Rejection ? ReasonIn(document.RootElement) : JsonEncoder.Value(document.RootElement, TypeOf(id));
    }

    // Whether it is of the right type says the app, as of arguments; but null is a value of few types, and readers let it through.
    private static byte[] OfMessagePack(byte[] value, TypeShape type)
    {
        PackReader.RequireOne(value);
        return new PackReader(value).TryNil() ? JsonEncoder.Value(s_null, type) : value;
    }

    private TypeShape TypeOf(AwakeableId id)
    {
        AppShape app = shapes.Value ?? throw new ProblemException(CurrentShapes.None);
        return app.Awakeables.TryGetValue(id.Type, out TypeShape? type) ? type
            : throw new JsonValueException("$", "the app that runs now has no awakeables of this type");
    }

    private static byte[] ReasonIn(JsonElement body)
    {
        if (body.ValueKind != JsonValueKind.Object
            || body.EnumerateObject().Any(static member => member.Name != s_reason || member.Value.ValueKind != JsonValueKind.String))
        {
            throw new JsonValueException("$", """{"reason":"text"} belongs here, or nothing""");
        }

        return Bounded(body.TryGetProperty(s_reason, out JsonElement text) ? Encoding.UTF8.GetBytes(text.GetString()!) : []);
    }

    private static byte[] Bounded(byte[] reason) => reason.Length <= AwakeableCompletion.MaxReason ? reason
        : throw new JsonValueException("$.reason", $"it has more than {AwakeableCompletion.MaxReason} bytes");
}
