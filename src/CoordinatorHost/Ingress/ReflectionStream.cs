using System.Buffers;
using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// One stream of questions about services, each with its answer in turn. It ends when its client has asked enough, or at its limits.
/// </summary>
internal sealed class ReflectionStream(IngressLimits limits, TimeProvider time)
{
    /// <summary>Serves it to its end.</summary>
    /// <param name="context">The request.</param>
    /// <param name="answer">Answers a question, or refuses it: then the stream ends with the refusal.</param>
    /// <param name="closing">This process takes nothing more.</param>
    public async Task ServeAsync(
        HttpContext context, Func<byte[], CancellationToken, ValueTask<IngressStreamedReply>> answer, CancellationToken closing = default)
    {
        // People think between two questions. So the stream has a time of its own, and no rate.
        if (context.Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
        {
            rate.MinDataRate = null;
        }

        // At its end a question that is under way has its answer still.
        using var late = new CancellationTokenSource(limits.QuestionsTime, time);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, closing);
        using var next = CancellationTokenSource.CreateLinkedTokenSource(stop.Token, late.Token);
        bool isWriting = false;
        try
        {
            var messages = new GrpcMessages(context.Request, limits.Question);
            for (int count = 0; count < limits.Questions && await messages.NextAsync(next.Token) is { } question; count++)
            {
                IngressStreamedReply said = await answer(question, stop.Token);
                if (said.Refusal is { } refusal)
                {
                    await GrpcAnswer.RefuseAsync(context, refusal);
                    return;
                }

                isWriting = true;
                using var slow = new CancellationTokenSource(limits.QuestionsTime, time);
                using var writing = CancellationTokenSource.CreateLinkedTokenSource(stop.Token, slow.Token);
                await GrpcAnswer.TellNextAsync(context, output => output.Write(said.Reply), writing.Token);
                isWriting = false;
            }

            GrpcAnswer.End(context);
        }
        catch (OperationCanceledException) when (!context.RequestAborted.IsCancellationRequested
            && (isWriting || late.IsCancellationRequested || closing.IsCancellationRequested))
        {
            await EndAsync(context, isWriting, closing.IsCancellationRequested);
        }
        catch (ProblemException refused)
        {
            await GrpcAnswer.RefuseAsync(context, refused.Problem);
        }
        catch (ProtoValueException error)
        {
            await GrpcAnswer.RefuseAsync(context, new Problem(
                StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood,
                $"the message is no ServerReflectionRequest: {error.Message}"));
        }
    }

    private static Task EndAsync(HttpContext context, bool isWriting, bool stops)
    {
        if (isWriting)
        {
            context.Abort(); // Its client takes nothing: neither would it take the end.
        }
        else if (stops)
        {
            return GrpcAnswer.RefuseAsync(context, new Problem(
                StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable, "the process that was asked stops; ask again"));
        }
        else
        {
            GrpcAnswer.End(context);
        }

        return Task.CompletedTask;
    }
}
