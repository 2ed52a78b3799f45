using System.Net.Sockets;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A client of an HTTP server at a Unix socket.</summary>
public static class UnixHttp
{
    public static HttpClient Client(string path) => new(new SocketsHttpHandler
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
    }) { BaseAddress = new Uri("http://admin") };

    public static async Task<AdminAnswer> AskAsync(this HttpClient client, string method, string path)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path);
        using HttpResponseMessage answer = await client.SendAsync(request);
        return new AdminAnswer(method, path, answer.StatusCode, await answer.Content.ReadAsStringAsync());
    }
}
