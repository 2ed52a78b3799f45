using System.Buffers;
using System.Collections.Concurrent;
using System.Net;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol.Ingress;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Something that takes gRPC like an instance, keeps what it is sent, and does with each request what a test says.</summary>
internal sealed class StreamingInstance : IAsyncDisposable
{
    private readonly WebApplication _server;
    private readonly ConcurrentQueue<string> _requests = [];
    private readonly ConcurrentQueue<IngressStreamedCall> _calls = [];

    private StreamingInstance(WebApplication server) => _server = server;

    public Uri Address => new(_server.Urls.Single());

    /// <summary>The methods of the requests that came, as <c>Calls</c>.</summary>
    public string[] Requests => [.. _requests];

    /// <summary>The calls that came on streams.</summary>
    public IngressStreamedCall[] Calls => [.. _calls];

    /// <summary>The headers of the last request.</summary>
    public IHeaderDictionary Headers { get; private set; } = new HeaderDictionary();

    /// <summary>Starts one.</summary>
    /// <param name="onStream">What it does with each message of a stream. False: it ends.</param>
    /// <param name="onCall">What it answers to a call that comes alone.</param>
    public static async Task<StreamingInstance> StartAsync(
        Func<HttpContext, IngressStreamedCall[], Task<bool>>? onStream, Func<HttpContext, Task>? onCall = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.ConfigureKestrel(static server =>
        {
            server.Limits.MinRequestBodyDataRate = null; // Between two calls there may be seconds.
            server.Listen(IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http2);
        });
        var instance = new StreamingInstance(builder.Build());
        instance._server.Run(context => instance.ServeAsync(context, onStream, onCall));
        await instance._server.StartAsync();
        return instance;
    }

    /// <summary>Says "nothing" to calls.</summary>
    public static Task AnswerAsync(HttpContext context, params ulong[] ids)
    {
        var batch = new IngressBatchWriter();
        foreach (ulong id in ids)
        {
            batch.Add(id, new IngressReply(IngressReplyKind.Nothing));
        }

        return TellAsync(context, batch);
    }

    public static Task TellAsync(HttpContext context, IngressBatchWriter batch) =>
        GrpcAnswer.TellNextAsync(context, output => output.Write(batch.Written.Span), default);

    public static Task NothingAsync(HttpContext context) =>
        GrpcAnswer.TellAsync(context, new IngressReply(IngressReplyKind.Nothing).Write);

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private async Task ServeAsync(
        HttpContext context, Func<HttpContext, IngressStreamedCall[], Task<bool>>? onStream, Func<HttpContext, Task>? onCall)
    {
        string method = GrpcRequest.MethodOf(context.Request)!;
        Headers = new HeaderDictionary(context.Request.Headers.ToDictionary(
            static each => each.Key, static each => each.Value, StringComparer.OrdinalIgnoreCase));
        _requests.Enqueue(method);
        if (method != IngressService.Calls)
        {
            await (onCall ?? NothingAsync)(context);
            return;
        }

        if (onStream is null)
        {
            await GrpcAnswer.RefuseMethodAsync(context);
            return;
        }

        try
        {
            var messages = new GrpcMessages(context.Request, 1 << 20);
            while (await messages.NextAsync(context.RequestAborted) is { } message)
            {
                var calls = new List<IngressStreamedCall>();
                for (int offset = 0; IngressStreamedCall.ReadNext(message, ref offset, keepsWritten: true) is { } call;)
                {
                    calls.Add(call);
                    _calls.Enqueue(call);
                }

                if (!await onStream(context, [.. calls]))
                {
                    break;
                }
            }

            GrpcAnswer.End(context);
        }
        catch (Exception error) when (error is OperationCanceledException or IOException)
        {
            // The gateway has gone.
        }
    }
}
