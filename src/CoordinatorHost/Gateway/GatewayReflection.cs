using System.Buffers;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.CoordinatorHost.Protobuf;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Reflection at a gateway. If the metadata names an instance, each question goes there as a query does: it is asked again after a
/// failover. Without a name the gateway tells of what it serves itself.
/// </summary>
/// <param name="forwarder">Brings questions to instances.</param>
/// <param name="rate">How often each caller may come: each question that goes on counts.</param>
/// <param name="limits">Limits.</param>
/// <param name="stopping">Says when the gateway ends.</param>
/// <param name="time">Clock.</param>
internal sealed class GatewayReflection(Forwarder forwarder, CallRate rate, IngressLimits limits, StopGate stopping, TimeProvider time)
{
    // A failover takes less, and who explores waits no longer for an instance that is down.
    private static readonly TimeSpan s_wait = Forwarder.Slice;
    private static readonly string s_advice =
        $" at the gateway itself; the metadata names the instance that is asked: {IngressService.InstanceTrailer}: NAME";

    /// <summary>Serves a stream of questions to its end.</summary>
    /// <param name="context">The request.</param>
    /// <param name="caller">The client that asks.</param>
    /// <param name="instanceId">The id of the instance that it means; null if it names none.</param>
    /// <param name="headers">Headers that are passed on.</param>
    public Task ServeAsync(
        HttpContext context, IngressCaller caller, string? instanceId, IReadOnlyList<KeyValuePair<string, string>> headers)
    {
        var stream = new ReflectionStream(limits, time);
        string[] named = [.. context.Request.Headers[IngressService.InstanceTrailer].OfType<string>()];
        if (named.Length == 0)
        {
            return stream.ServeAsync(
                context, static (question, _) => ValueTask.FromResult(
                    new IngressStreamedReply(0, ReflectionAnswer.Of(question, ProtoFile.Published, s_advice), null)),
                stopping.Closing);
        }

        if (named.Length > 1)
        {
            return GrpcAnswer.RefuseAsync(context, new Problem(
                StatusCodes.Status400BadRequest, IngressErrors.NotUnderstood,
                $"say in the metadata one instance: {IngressService.InstanceTrailer}: NAME"));
        }

        string path = context.Request.Path.Value!;
        return stream.ServeAsync(
            context, (question, stop) => rate.TryTake(caller.Name, out TimeSpan pause)
                ? AskAsync(
                    new ForwardedCall
                    {
                        Instance = named[0],
                        InstanceId = instanceId,
                        Method = HttpMethod.Post,
                        Path = path,
                        Body = GrpcFrame.Of(output => output.Write(question)),
                        Headers = headers,
                        MayRepeat = true,
                        IsQuery = true,
                        IsGrpc = true,
                        Wait = s_wait,
                    },
                    stop)
                : throw new ProblemException(CallRate.TooOften(pause)),
            stopping.Closing);
    }

    private async ValueTask<IngressStreamedReply> AskAsync(ForwardedCall question, CancellationToken stop)
    {
        Forwarded told = await forwarder.SendAsync(question, stop);
        using InstanceAnswer? answer = told.Answer;
        if (answer is null)
        {
            throw new ProblemException(told.Problem!);
        }

        try
        {
            return await LoneAnswer.ReadAsync(answer, Forwarder.Slice + InstanceLink.Grace, time, stop);
        }
        catch (Exception error) when (error is IOException or HttpRequestException or OperationCanceledException)
        {
            stop.ThrowIfCancellationRequested();
            throw new ProblemException(new Problem(
                StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable, $"{question.Instance} has gone; ask again"));
        }
    }
}
