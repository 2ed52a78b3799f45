using Ambrosia.Bench.Immortals;
using Ambrosia.V1;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Bench.Outside;

/// <summary>The baseline of calls over gRPC: Grpc.AspNetCore, which gives back the payload. Nothing durable, no keys.</summary>
internal sealed class GrpcEcho : Ingress.IngressBase
{
    /// <summary>Serves at a loopback address until the process ends.</summary>
    public static async Task ServeAsync(string url)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls(url);
        builder.WebHost.ConfigureKestrel(static server =>
            server.ConfigureEndpointDefaults(static listen => listen.Protocols = HttpProtocols.Http2));
        builder.Services.AddGrpc();
        WebApplication app = builder.Build();
        app.MapGrpcService<GrpcEcho>();
        await app.StartAsync();
        Console.Out.WriteLine(DeskWords.Ready);
        await app.WaitForShutdownAsync();
    }

    /// <inheritdoc/>
    public override Task<CallReply> Call(CallRequest request, ServerCallContext context) =>
        Task.FromResult(new CallReply { MessagePack = EchoMessage.Result(request.MessagePack) });
}
