using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// <c>CompleteAwakeable</c> of <c>ambrosia.v1.Ingress</c>: what <see cref="AwakeableEndpoint"/> does over HTTP, where the id stands in the
/// URL. Here it stands in the message, so only the beginning of that is read before the id is known to be genuine.
/// </summary>
internal sealed class GrpcAwakeableEndpoint(string instance, AwakeableCompletions completions, IngressLimits limits, TimeProvider time)
{
    private const int MostBeginning = 1024; // Bytes. A name and an id have less.

    /// <summary>Which awakeable a request names by its first bytes; a problem if it is not known here.</summary>
    /// <param name="request">The request.</param>
    /// <param name="gone">Its client is gone.</param>
    public async Task<(AwakeableId Id, Problem? Problem)> FindAsync(HttpRequest request, CancellationToken gone)
    {
        CallBody.LeaveRate(request);
        try
        {
            return await CallBody.WithinAsync(limits.Proof, time, stop => FindInAsync(request.BodyReader, stop), gone);
        }
        catch (ProblemException late)
        {
            return (default, late.Problem);
        }
    }

    /// <summary>Completes it.</summary>
    /// <param name="context">The request.</param>
    /// <param name="id">What <see cref="FindAsync"/> has found.</param>
    public async Task HandleAsync(HttpContext context, AwakeableId id)
    {
        try
        {
            ReadOnlyMemory<byte> message = await CallBody.WithinAsync(
                IngressLimits.Completion, time, stop => GrpcRequest.ReadAsync(context.Request, limits.Body, stop), context.RequestAborted);
            var request = IngressAwakeableRequest.Read(message.Span);
            if (request.Id != id.ToString() || (request.Instance.Length > 0 && request.Instance != instance))
            {
                throw new ProblemException(Problem.NoSuchAwakeable);
            }

            TimeSpan wait = GrpcEndpoint.WaitOf(context.Request, limits);
            IngressOutcome outcome = await completions.CompleteAsync(id, SentBy(request), null, wait, context.RequestAborted);
            await (outcome.Problem is { } problem ? GrpcAnswer.RefuseAsync(context, problem) : GrpcAnswer.TellAsync(
                context, new IngressAwakeableReply(outcome.Reply.Kind == OutsideReplyKind.Answer).Write));
        }
        catch (ProblemException refused)
        {
            await GrpcAnswer.RefuseAsync(context, refused.Problem);
        }
        catch (ProtocolException error)
        {
            await GrpcAnswer.RefuseAsync(context, GrpcRequest.NotUnderstood(error));
        }
    }

    private async Task<(AwakeableId Id, Problem? Problem)> FindInAsync(PipeReader body, CancellationToken stop)
    {
        while (true)
        {
            ReadResult read = await CallBody.ReadAsync(body, stop);
            bool isLong = read.Buffer.Length >= MostBeginning;
            bool isCompressed = !read.Buffer.IsEmpty && read.Buffer.FirstSpan[0] != 0;
            string text = isCompressed ? "" : IdIn(read.Buffer);
            body.AdvanceTo(read.Buffer.Start, read.Buffer.End); // All of it is read again, once it has a place.
            if (isCompressed)
            {
                return (default, GrpcFrame.Compressed);
            }

            if (text.Length == 0 && !isLong && !read.IsCompleted)
            {
                continue;
            }

            Problem? problem = completions.RefusalOf(text, out AwakeableId id);
            return (id, text.Length > 0 || !isLong ? problem : new Problem(
                StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood,
                $"the id stands before the value, within the first {MostBeginning} bytes"));
        }
    }

    // What is no message of gRPC names nothing.
    private static string IdIn(in ReadOnlySequence<byte> body)
    {
        byte[] begun = body.Slice(0, Math.Min(body.Length, MostBeginning)).ToArray();
        return begun.Length <= GrpcFrame.Head ? "" : IngressAwakeableRequest.IdIn(begun.AsSpan(GrpcFrame.Head));
    }

    private static SentCompletion SentBy(IngressAwakeableRequest request) => request.Form switch
    {
        IngressAwakeableForm.MessagePack => new(AwakeableForm.Value, IngressForm.MessagePack, request.Body.ToArray()),
        IngressAwakeableForm.Json => new(AwakeableForm.Value, IngressForm.Json, request.Body.ToArray()),
        IngressAwakeableForm.Rejection => new(AwakeableForm.Rejection, IngressForm.MessagePack, request.Body.ToArray()),
        _ => throw new ProblemException(Problem.AwakeableNotUnderstood("the message has neither a value nor a rejection")),
    };
}
