using System.Net.Sockets;
using System.Text.Json;

namespace Ambrosia.Bench.Processes;

/// <summary>The admin address of a coordinator, at a Unix socket.</summary>
internal sealed class AdminAddress : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private readonly HttpClient _http;

    public AdminAddress(string socket) => _http = new HttpClient(new SocketsHttpHandler
    {
        ConnectCallback = (_, cancellation) => ConnectAsync(socket, cancellation),
    })
    {
        BaseAddress = new Uri("http://localhost/"),
        Timeout = s_patience,
    };

    /// <summary>Waits until the coordinator says that it has this role.</summary>
    public async Task WaitForRoleAsync(string role)
    {
        using var deadline = new CancellationTokenSource(s_patience);
        while (await RoleAsync() != role)
        {
            if (deadline.IsCancellationRequested)
            {
                throw new ChildFailedException($"No coordinator became the {role}.");
            }

            await Task.Delay(TimeSpan.FromMilliseconds(50));
        }
    }

    /// <summary>Takes a checkpoint; completes when it is verified and has its name.</summary>
    public async Task CheckpointAsync()
    {
        using HttpResponseMessage answer = await _http.PostAsync(new Uri("checkpoint", UriKind.Relative), null);
        if (!answer.IsSuccessStatusCode)
        {
            throw new ChildFailedException($"No checkpoint: {await answer.Content.ReadAsStringAsync()}");
        }
    }

    public void Dispose() => _http.Dispose();

    private static async ValueTask<Stream> ConnectAsync(string path, CancellationToken cancellationToken)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch (SocketException)
        {
            socket.Dispose();
            throw;
        }
    }

    private async Task<string?> RoleAsync()
    {
        try
        {
            using JsonDocument status = JsonDocument.Parse(await _http.GetStringAsync(new Uri("status", UriKind.Relative)));
            return status.RootElement.GetProperty("role").GetString();
        }
        catch (HttpRequestException)
        {
            return null; // Not listening yet.
        }
    }
}
