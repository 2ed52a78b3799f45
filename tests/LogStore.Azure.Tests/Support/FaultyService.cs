using System.Globalization;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Azure.Tests.Support;

/// <summary>Stands between a store and the emulator, understands HTTP, and does to some requests what may happen to them. Which, and what, a seed decides.</summary>
internal sealed class FaultyService : IAsyncDisposable
{
    private static readonly int[] s_busy = [503, 500, 408, 429];
    private readonly WebApplication _server;
    private readonly HttpClient _client = new(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, UseProxy = false });
    private readonly int _target;
    private readonly Random _random;
    private readonly FaultKind[] _kinds;
    private readonly int _oneIn;
    private readonly SortedDictionary<FaultKind, int> _faults = [];
    private volatile bool _isQuiet;

    /// <summary>Leads to a port of this machine.</summary>
    /// <param name="target">The port.</param>
    /// <param name="seed">Decides.</param>
    /// <param name="oneIn">One request of so many meets a fault.</param>
    /// <param name="kinds">What may happen.</param>
    public FaultyService(int target, int seed, int oneIn, params FaultKind[] kinds)
    {
        (_target, _random, _oneIn, _kinds) = (target, new Random(seed), oneIn, kinds);
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

    /// <summary>Faults so far.</summary>
    public int Count
    {
        get
        {
            lock (_faults)
            {
                return _faults.Values.Sum();
            }
        }
    }

    /// <summary>Faults by kind, in words.</summary>
    public string Summary
    {
        get
        {
            lock (_faults)
            {
                return string.Join(", ", _faults.Select(static pair => $"{pair.Key} {pair.Value}"));
            }
        }
    }

    /// <summary>Nothing happens any more.</summary>
    public void BeQuiet() => _isQuiet = true;

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        _client.Dispose();
    }

    private async Task AnswerAsync(HttpContext context)
    {
        try
        {
            using var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body);
            await ActAsync(context, body.ToArray(), Choose());
        }
        catch (Exception error) when (error is HttpRequestException or IOException or OperationCanceledException)
        {
            context.Abort(); // One side has gone.
        }
    }

    private (FaultKind Kind, int Number)? Choose()
    {
        lock (_faults)
        {
            if (_isQuiet || _random.Next(_oneIn) != 0)
            {
                return null;
            }

            FaultKind kind = _kinds[_random.Next(_kinds.Length)];
            _faults[kind] = _faults.GetValueOrDefault(kind) + 1;
            return (kind, _random.Next(300));
        }
    }

    private async Task ActAsync(HttpContext context, byte[] body, (FaultKind Kind, int Number)? fault)
    {
        switch (fault?.Kind)
        {
            case FaultKind.Busy:
                Reply(context, s_busy[fault.Value.Number % s_busy.Length], "ServerBusy");
                return;
            case FaultKind.Refused:
                Reply(context, 412, "ConditionNotMet");
                return;
            case FaultKind.Late:
                await Task.Delay(fault.Value.Number);
                break;
        }

        using HttpResponseMessage answer = await ForwardAsync(context.Request, body);
        if (fault?.Kind == FaultKind.Twice)
        {
            (await ForwardAsync(context.Request, body)).Dispose();
        }

        if (fault?.Kind == FaultKind.LostAnswer)
        {
            context.Abort();
        }
        else if (fault?.Kind == FaultKind.DoneAndBusy)
        {
            Reply(context, 500, "InternalError");
        }
        else
        {
            await CopyAsync(answer, context.Response);
        }
    }

    private async Task<HttpResponseMessage> ForwardAsync(HttpRequest request, byte[] body)
    {
        var forwarded = new HttpRequestMessage(new HttpMethod(request.Method), new Uri(string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{_target}{request.HttpContext.Features.Get<IHttpRequestFeature>()!.RawTarget}")));
        if (body.Length > 0 || request.Method is "PUT" or "POST")
        {
            forwarded.Content = new ByteArrayContent(body);
        }

        foreach (string name in request.Headers.Keys.Where(static name => name is not ("Host" or "Connection" or "Transfer-Encoding" or "Content-Length" or "Expect")))
        {
            if (!forwarded.Headers.TryAddWithoutValidation(name, request.Headers[name].ToString()))
            {
                forwarded.Content?.Headers.TryAddWithoutValidation(name, request.Headers[name].ToString());
            }
        }

        return await _client.SendAsync(forwarded);
    }

    private static void Reply(HttpContext context, int status, string code)
    {
        context.Response.StatusCode = status;
        context.Response.Headers["x-ms-error-code"] = code;
        context.Response.ContentLength = 0;
    }

    private static async Task CopyAsync(HttpResponseMessage answer, HttpResponse response)
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
}
