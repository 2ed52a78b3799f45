using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Ambrosia.ImmortalCoordinator.Tests.Gateway;

/// <summary>Something that takes connections like an instance, keeps what it is sent, and does with each what a test says.</summary>
internal sealed class RawInstance : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Func<string, string?> _answer;
    private readonly List<string> _requests = [];

    /// <summary>Begins.</summary>
    /// <param name="answer">The answer to a request; null: the connection ends without one.</param>
    public RawInstance(Func<string, string?> answer)
    {
        _answer = answer;
        _listener.Start();
        _ = RunAsync();
    }

    public Uri Address => new($"http://{_listener.LocalEndpoint}");

    public string[] Requests
    {
        get
        {
            lock (_requests)
            {
                return [.. _requests];
            }
        }
    }

    public static string Ok(string body) =>
        $"HTTP/1.1 200 OK\r\nContent-Length: {body.Length}\r\nContent-Type: application/json\r\n\r\n{body}";

    public void Dispose() => _listener.Dispose();

    private async Task RunAsync()
    {
        try
        {
            while (true)
            {
                _ = ServeAsync(await _listener.AcceptSocketAsync());
            }
        }
        catch (Exception error) when (error is SocketException or ObjectDisposedException)
        {
            // The test is over.
        }
    }

    private async Task ServeAsync(Socket socket)
    {
        using (socket)
        {
            while (await ReadAsync(socket) is { } request)
            {
                lock (_requests)
                {
                    _requests.Add(request);
                }

                if (_answer(request) is not { } answer)
                {
                    return; // As of a process that was killed: the system closes its connections.
                }

                await socket.SendAsync(Encoding.Latin1.GetBytes(answer));
            }
        }
    }

    // Null if there is none any more.
    private static async Task<string?> ReadAsync(Socket socket)
    {
        byte[] buffer = new byte[64 << 10];
        var text = new StringBuilder();
        while (!IsWhole(text.ToString()))
        {
            int count = await socket.ReceiveAsync(buffer);
            if (count == 0)
            {
                return null;
            }

            text.Append(Encoding.Latin1.GetString(buffer, 0, count));
        }

        return text.ToString();
    }

    private static bool IsWhole(string text)
    {
        int end = text.IndexOf("\r\n\r\n", StringComparison.Ordinal);
        if (end < 0)
        {
            return false;
        }

        int at = text.IndexOf("Content-Length: ", StringComparison.OrdinalIgnoreCase);
        int size = at < 0 ? 0 : int.Parse(text[(at + 16)..text.IndexOf('\r', at)], System.Globalization.CultureInfo.InvariantCulture);
        return text.Length >= end + 4 + size;
    }
}
