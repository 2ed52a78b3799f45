using System.Globalization;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// Tells a watched query's answers: as server-sent events over HTTP, as messages over gRPC. A stream ends after
/// <see cref="IngressLimits.WatchTime"/>, so that a token counts no longer than that; clients begin again where they were.
/// </summary>
internal sealed class WatchStream(
    HttpContext context, WatchPlace place, IngressCalls calls, IngressLimits limits, TimeProvider time)
{
    /// <summary>What a client accepts that watches a query, and is sent.</summary>
    public const string Kind = "text/event-stream";

    private static readonly byte[] s_beat = [.. ":\n\n"u8];

    /// <summary>Whether a request of a query wants events.</summary>
    public static bool IsWanted(HttpRequest request)
    {
        if (!HttpMethods.IsGet(request.Method))
        {
            return false;
        }

        double events = 0, json = 0; // How much each is wanted.
        foreach (MediaTypeHeaderValue type in request.GetTypedHeaders().Accept)
        {
            double quality = type.Quality ?? 1;
            events = type.MediaType.Equals(Kind, StringComparison.OrdinalIgnoreCase) ? Math.Max(events, quality) : events;
            json = type.MediaType.Equals("application/json", StringComparison.OrdinalIgnoreCase) ? Math.Max(json, quality) : json;
        }

        return events > 0 && events >= json;
    }

    /// <summary>The record that a client has seen the last event of, when it comes again.</summary>
    public static ulong LastSeen(HttpRequest request) => ulong.TryParse(
        request.Headers["Last-Event-ID"].ToString(), NumberStyles.None, CultureInfo.InvariantCulture, out ulong record) ? record : 0;

    /// <summary>Tells events until there is no reason to.</summary>
    /// <exception cref="ProblemException">There is no first one; nothing has been told.</exception>
    public async Task TellEventsAsync(ulong atLeast, TimeSpan wait)
    {
        using var end = new CancellationTokenSource(limits.WatchTime, time);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, end.Token);
        WatchedValue value = await FirstAsync(atLeast, wait);
        context.Response.ContentType = Kind;
        context.Response.Headers.CacheControl = "no-store";
        context.Response.Headers.XContentTypeOptions = "nosniff";
        context.Response.Headers["X-Accel-Buffering"] = "no"; // A proxy that collects would hold events back.
        try
        {
            await context.Response.Body.WriteAsync("retry: 1000\n"u8.ToArray(), stop.Token);
            while (true)
            {
                await SayAsync(value.ToEvent(), stop.Token);
                value = await NextAsync(value, stop.Token);
            }
        }
        catch (ProblemException ended)
        {
            // That an app is away is no event: the client comes again, and finds it, or another process.
            if (ended.Problem.Status != StatusCodes.Status503ServiceUnavailable)
            {
                byte[] said = [.. "event: problem\ndata: "u8, .. ended.Problem.ToJson(), .. "\n\n"u8];
                await SayAsync(said, context.RequestAborted);
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
            WatchedValue value = await FirstAsync(atLeast, wait);
            while (true)
            {
                ReadOnlyMemory<byte> result = form == IngressForm.MessagePack ? value.Result : value.Json;
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
                await SayAsync(s_beat, stop);
            }
        }
    }

    // A stream that ends before its first answer was not answered in time, as a request that waits no longer.
    private async Task<WatchedValue> FirstAsync(ulong atLeast, TimeSpan wait)
    {
        WatchedValue first = await place.FirstAsync(
            atLeast, wait < limits.WatchTime ? wait : limits.WatchTime, time, context.RequestAborted);
        calls.SayInstance(context.Response);
        return first;
    }

    private async Task SayAsync(byte[] bytes, CancellationToken stop)
    {
        await context.Response.Body.WriteAsync(bytes, stop);
        await context.Response.Body.FlushAsync(stop);
    }
}
