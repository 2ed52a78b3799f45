using System.Net;
using System.Text;
using Ambrosia.Tests;

namespace Ambrosia.Cli.Tests.Clients;

/// <summary>An address for calls from outside that answers one request, and keeps what it was asked.</summary>
internal sealed class OneAnswer : IDisposable
{
    private readonly HttpListener _listener = new();

    public OneAnswer(int status, string text)
    {
        int port = FreePorts.One();
        Address = $"http://127.0.0.1:{port}";
        _listener.Prefixes.Add($"{Address}/");
        _listener.Start();
        Asked = AnswerAsync(status, text);
    }

    public string Address { get; }

    /// <summary>The path of the request, and what its caller has shown.</summary>
    public Task<string> Asked { get; }

    public void Dispose() => ((IDisposable)_listener).Dispose();

    private async Task<string> AnswerAsync(int status, string text)
    {
        HttpListenerContext context = await _listener.GetContextAsync();
        context.Response.StatusCode = status;
        await context.Response.OutputStream.WriteAsync(Encoding.UTF8.GetBytes(text));
        context.Response.Close();
        return $"{context.Request.RawUrl} {context.Request.Headers["Authorization"]}";
    }
}
