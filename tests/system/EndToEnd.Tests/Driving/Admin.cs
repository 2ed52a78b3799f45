using System.Net.Sockets;
using System.Text.Json;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>A coordinator's admin address, as an operator uses it.</summary>
internal static class Admin
{
    /// <summary>Takes a checkpoint; returns when it is durable.</summary>
    public static async Task CheckpointAsync(NodeUnderTest node)
    {
        using HttpClient http = Client(node);
        HttpResponseMessage? answer = null;
        await Wait.UntilAsync(
            $"{node.Name} took a checkpoint",
            async () => (answer =
                await TryAsync(() => http.PostAsync(new Uri("http://localhost/checkpoint"), null)))?.IsSuccessStatusCode == true,
            TimeSpan.FromSeconds(60));
    }

    /// <summary>What <c>/status</c> says.</summary>
    public static async Task<JsonElement> StatusAsync(NodeUnderTest node)
    {
        using HttpClient http = Client(node);
        return JsonDocument.Parse(await http.GetStringAsync(new Uri("http://localhost/status"))).RootElement;
    }

    /// <summary>What <c>/waiting</c> says at a socket.</summary>
    public static async Task<JsonElement> WaitingAsync(string socket)
    {
        using HttpClient http = Client(socket);
        return JsonDocument.Parse(await http.GetStringAsync(new Uri("http://localhost/waiting"))).RootElement;
    }

    /// <summary>What the page is told of the log, once it has been read far enough to hold a text.</summary>
    public static async Task PageTellsAsync(NodeUnderTest node, string text)
    {
        using HttpClient http = Client(node);
        var page = new Uri("http://localhost/page/api/log");
        await Wait.UntilAsync(
            $"the page of {node.Name} tells {text}",
            async () => (await http.GetStringAsync(page)).Contains(text, StringComparison.Ordinal), TimeSpan.FromSeconds(60));
    }

    private static async Task<HttpResponseMessage?> TryAsync(Func<Task<HttpResponseMessage>> request)
    {
        try
        {
            return await request();
        }
        catch (HttpRequestException)
        {
            return null;
        }
    }

    private static HttpClient Client(NodeUnderTest node) => Client(node.AdminPath);

    private static HttpClient Client(string path) => new(new SocketsHttpHandler
    {
        ConnectCallback = async (_, cancellation) =>
        {
            var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            try
            {
                await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellation);
                return new NetworkStream(socket, ownsSocket: true);
            }
            catch (SocketException)
            {
                socket.Dispose();
                throw;
            }
        },
    })
    { Timeout = TimeSpan.FromSeconds(120) };
}
