using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>Stands between a store and the emulator, understands HTTP, and lets each request be acted on.</summary>
internal abstract class HttpRelay : IAsyncDisposable
{
    private readonly WebApplication _server;
    private readonly HttpClient _client = new(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, UseProxy = false });
    private readonly int _target;

    /// <summary>Leads to a port of this machine.</summary>
    protected HttpRelay(int target)
    {
        _target = target;
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(static kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, 0);
            kestrel.Limits.MaxRequestBodySize = null;
        });
        _server = builder.Build();
        _server.Run(AnswerAsync);
        _server.StartAsync().GetAwaiter().GetResult();
    }

    public int Port => new Uri(_server.Urls.Single()).Port;

    public virtual async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _client.Dispose();
    }

    /// <summary>Does with a request what happens to it, and answers it or breaks off.</summary>
    protected abstract Task ActAsync(HttpContext context, byte[] body);

    protected async Task<HttpResponseMessage> ForwardAsync(HttpRequest request, byte[] body)
    {
        var forwarded = new HttpRequestMessage(new HttpMethod(request.Method), new Uri(string.Create(CultureInfo.InvariantCulture,
            $"http://127.0.0.1:{_target}{request.HttpContext.Features.Get<IHttpRequestFeature>()!.RawTarget}")));
        if (body.Length > 0 || request.Method is "PUT" or "POST")
        {
            forwarded.Content = new ByteArrayContent(body);
        }

        foreach (string name in request.Headers.Keys.Where(static name =>
            name is not ("Host" or "Connection" or "Transfer-Encoding" or "Content-Length" or "Expect")))
        {
            if (!forwarded.Headers.TryAddWithoutValidation(name, request.Headers[name].ToString()))
            {
                forwarded.Content?.Headers.TryAddWithoutValidation(name, request.Headers[name].ToString());
            }
        }

        return await _client.SendAsync(forwarded);
    }

    protected static void Reply(HttpContext context, int status, string code)
    {
        context.Response.StatusCode = status;
        context.Response.Headers["x-ms-error-code"] = code;
        context.Response.ContentLength = 0;
    }

    protected static async Task CopyAsync(HttpResponseMessage answer, HttpResponse response)
    {
        response.StatusCode = (int)answer.StatusCode;
        foreach ((string name, IEnumerable<string> values) in answer.Headers.Concat(answer.Content.Headers))
        {
            if (name is not ("Transfer-Encoding" or "Connection" or "Keep-Alive" or "Content-Length"))
            {
                response.Headers[name] = string.Join(", ", values);
            }
        }

        byte[] body = await answer.Content.ReadAsByteArrayAsync();
        if (answer.StatusCode is not (HttpStatusCode.NoContent or HttpStatusCode.NotModified))
        {
            response.ContentLength = answer.Content.Headers.ContentLength ?? body.Length;
        }

        if (body.Length > 0)
        {
            await response.Body.WriteAsync(body);
        }
    }

    private async Task AnswerAsync(HttpContext context)
    {
        try
        {
            using var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body);
            await ActAsync(context, body.ToArray());
        }
        catch (Exception error) when (error is HttpRequestException or IOException or OperationCanceledException)
        {
            context.Abort(); // One side has gone.
        }
    }
}
