using System.Globalization;
using System.Text;
using Ambrosia.CoordinatorHost.Shapes;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// Tells a watched query's answers: as server-sent events over HTTP, as messages over gRPC. A stream ends after
/// <see cref="IngressLimits.WatchTime"/>, so that a token counts no longer than that; clients begin again where they were.
/// </summary>
internal sealed class WatchStream(HttpContext context, WatchPlace place, IngressLimits limits, TimeProvider time)
{
    /// <summary>What a client accepts that watches a query, and is sent.</summary>
    public const string Kind = "text/event-stream";

    /// <summary>Whether a request of a query wants events.</summary>
    public static bool IsWanted(HttpRequest request) => HttpMethods.IsGet(request.Method)
        && request.Headers.Accept.Any(static value => value is not null && value.Contains(Kind, StringComparison.OrdinalIgnoreCase));

    /// <summary>The record that a client has seen the last event of, when it comes again.</summary>
    public static ulong LastSeen(HttpRequest request) => ulong.TryParse(
        request.Headers["Last-Event-ID"].ToString(), NumberStyles.None, CultureInfo.InvariantCulture, out ulong record) ? record : 0;

    /// <summary>Tells events until there is no reason to.</summary>
    /// <exception cref="ProblemException">There is no first one; nothing has been told.</exception>
    public async Task TellEventsAsync(ulong atLeast, TimeSpan wait)
    {
        using var end = new CancellationTokenSource(limits.WatchTime, time);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, end.Token);
        WatchedValue value = await place.FirstAsync(atLeast, wait, time, stop.Token);
        context.Response.ContentType = Kind;
        context.Response.Headers.CacheControl = "no-store";
        context.Response.Headers.XContentTypeOptions = "nosniff";
        context.Response.Headers["X-Accel-Buffering"] = "no"; // A proxy that collects would hold events back.
        await SayAsync($"retry: 1000\n{EventOf(value)}", stop.Token);
        try
        {
            while (true)
            {
                value = await NextAsync(value, stop.Token);
                await SayAsync(EventOf(value), stop.Token);
            }
        }
        catch (ProblemException ended)
        {
            // That an app is away is no event: the client comes again, and finds it, or another process.
            if (ended.Problem.Status != StatusCodes.Status503ServiceUnavailable)
            {
                await SayAsync($"event: problem\ndata: {Encoding.UTF8.GetString(ended.Problem.ToJson())}\n\n", context.RequestAborted);
            }
        }
        catch (OperationCanceledException) when (!context.RequestAborted.IsCancellationRequested)
        {
            // Its time is over.
        }
    }

    /// <summary>Tells messages until there is no reason to.</summary>
    /// <exception cref="ProblemException">There is no other one.</exception>
    public async Task TellMessagesAsync(ulong atLeast, TimeSpan wait, IngressForm form)
    {
        using var end = new CancellationTokenSource(limits.WatchTime, time);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, end.Token);
        try
        {
            WatchedValue value = await place.FirstAsync(atLeast, wait, time, stop.Token);
            while (true)
            {
                ReadOnlyMemory<byte> result = form == IngressForm.MessagePack ? value.Result
                    : JsonDecoder.Value(value.Result.Span, value.Method.Result);
                await GrpcAnswer.TellNextAsync(context, new IngressQueryReply(form, result, value.Record).Write, stop.Token);
                value = await place.NextAsync(value, stop.Token);
            }
        }
        catch (OperationCanceledException) when (!context.RequestAborted.IsCancellationRequested)
        {
            GrpcAnswer.End(context);
        }
    }

    // A sign of life between, for proxies that end what is silent, and for this server, which learns so that a client is gone.
    private async Task<WatchedValue> NextAsync(WatchedValue seen, CancellationToken stop)
    {
        Task<WatchedValue> next = place.NextAsync(seen, stop).AsTask();
        while (true)
        {
            try
            {
                return await next.WaitAsync(limits.WatchBeat, time, stop);
            }
            catch (TimeoutException)
            {
                await SayAsync(":\n\n", stop);
            }
        }
    }

    private async Task SayAsync(string text, CancellationToken stop)
    {
        await context.Response.Body.WriteAsync(Encoding.UTF8.GetBytes(text), stop);
        await context.Response.Body.FlushAsync(stop);
    }

    private static string EventOf(WatchedValue value) => string.Create(
        CultureInfo.InvariantCulture,
        $"id: {value.Record}\ndata: {Encoding.UTF8.GetString(JsonDecoder.Value(value.Result.Span, value.Method.Result))}\n\n");
}
