using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Primitives.Errors;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Passes an instance's answer on. If it ends too early, so does the caller's connection: half an answer must not look like a whole one.
/// A query that is watched has no whole: its stream ends, and the client comes again.
/// </summary>
internal static class AnswerRelay
{
    private const int Piece = 64 << 10;

    // As long as one try waits for the beginning of an answer.
    private static readonly TimeSpan s_silence = Forwarder.Slice + InstanceLink.Grace;

    /// <param name="context">The request.</param>
    /// <param name="answer">Its answer.</param>
    /// <param name="call">What it answers: over gRPC, trailers are part of it.</param>
    /// <param name="time">Clock.</param>
    /// <param name="closing">The gateway takes nothing more, and what is watched ends.</param>
    /// <param name="gone">The caller waits no more, or the gateway ends.</param>
    public static async Task TellAsync(
        HttpContext context, InstanceAnswer answer, ForwardedCall call, TimeProvider time, CancellationToken closing,
        CancellationToken gone)
    {
        HttpResponse response = context.Response;
        response.StatusCode = answer.Status;
        foreach ((string name, IEnumerable<string> values) in answer.Headers)
        {
            if (HeaderRules.Passes(name))
            {
                response.Headers[name] = values.ToArray();
            }
        }

        try
        {
            if (!HttpMethods.IsHead(context.Request.Method) && answer.First.Length > 0) // Of some statuses there is no body to write to.
            {
                await response.Body.WriteAsync(answer.First, gone);
                await (call.IsWatch ? response.Body.FlushAsync(gone) : Task.CompletedTask);
                if (answer.Rest is { } rest && !await PassAsync(rest, response.Body, call, time, closing, gone))
                {
                    string who = closing.IsCancellationRequested ? "the gateway" : call.Instance;
                    await (call.IsGrpc ? GrpcAnswer.RefuseAsync(context, Ended(who)) : Task.CompletedTask);
                    return;
                }
            }

            if (call.IsGrpc)
            {
                foreach ((string name, IEnumerable<string> values) in answer.Trailers)
                {
                    response.AppendTrailer(name, values.ToArray());
                }
            }
        }
        catch (Exception error) when (error is IOException or HttpRequestException or OperationCanceledException)
        {
            context.Abort();
        }
    }

    private static Problem Ended(string who) => new(
        StatusCodes.Status503ServiceUnavailable, IngressErrors.Unavailable, $"{who} has gone; watch again");

    // An instance that stands still in the middle of an answer is given up as one is that begins none. Messages of a query that is watched
    // may be far between; the connection has its own signs of life. False if instance or gateway have gone in the middle of such a stream.
    private static async Task<bool> PassAsync(
        Stream from, Stream to, ForwardedCall call, TimeProvider time, CancellationToken closing, CancellationToken gone)
    {
        TimeSpan silence = call is { IsWatch: true, IsGrpc: true } ? Timeout.InfiniteTimeSpan : s_silence;
        byte[] piece = new byte[Piece];
        while (true)
        {
            using var late = new CancellationTokenSource(silence, time);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(late.Token, gone, call.IsWatch ? closing : default);
            int read;
            try
            {
                read = await from.ReadAsync(piece, either.Token);
            }
            catch (Exception error) when (call.IsWatch && !gone.IsCancellationRequested
                && (error is IOException or HttpRequestException or OperationCanceledException))
            {
                return false;
            }

            if (read == 0)
            {
                return true;
            }

            await to.WriteAsync(piece.AsMemory(0, read), gone);
            await (call.IsWatch ? to.FlushAsync(gone) : Task.CompletedTask);
        }
    }
}
