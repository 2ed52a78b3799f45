using Ambrosia.Bench.Immortals;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Bench.Outside;

/// <summary>The baseline of calls from outside: Kestrel by itself, which gives back the payload of a JSON object. Nothing durable, no
/// keys.</summary>
internal static class HttpEcho
{
    /// <summary>Serves at a loopback address until the process ends.</summary>
    public static async Task ServeAsync(string url, string path)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls(url);
        WebApplication app = builder.Build();
        app.MapPost(path, static (HttpContext context) => EchoAsync(context));
        await app.StartAsync();
        Console.Out.WriteLine(DeskWords.Ready);
        await app.WaitForShutdownAsync();
    }

    private static async Task EchoAsync(HttpContext context)
    {
        Payload? body = await context.Request.ReadFromJsonAsync<Payload>();
        await context.Response.WriteAsJsonAsync(body!.payload);
    }

    // As the coordinator spells a method's arguments.
#pragma warning disable IDE1006
    private sealed record Payload(byte[] payload);
#pragma warning restore IDE1006
}
