using System.Text.Json;
using Ambrosia.Bench.Immortals;

namespace Ambrosia.Bench.Processes;

/// <summary>The gRPC baseline: a client and a server in C++, as the distribution packages them. One hop, nothing durable.</summary>
internal sealed class GrpcTopology : IAsyncDisposable
{
    private readonly Child _server;
    private readonly Child _client;

    private GrpcTopology(Child server, Child client) => (_server, _client) = (server, client);

    public IReadOnlyList<Child> Processes => [_client, _server];

    /// <summary>Null if it was not built.</summary>
    public static async Task<GrpcTopology?> StartAsync(string folder)
    {
        if (Environment.GetEnvironmentVariable("BENCH_GRPC") is not { Length: > 0 } programs)
        {
            return null;
        }

        Directory.CreateDirectory(folder);
        // TCP like the peers' own connections, on a port that the system calls free.
        int port = FreePort();
        var server = new Child("gRPC server", Path.Combine(programs, "server"), $"127.0.0.1:{port}");
        await server.ExpectAsync(DeskWords.Ready);
        var client = new Child("gRPC client", Path.Combine(programs, "client"), $"127.0.0.1:{port}");
        await client.ExpectAsync(DeskWords.Ready);
        return new GrpcTopology(server, client);
    }

    /// <summary>Single calls, so many under way at a time.</summary>
    public Task<Outcome> UnaryAsync(int size, int outstanding, double seconds) =>
        AskAsync($"unary {size} {outstanding} {Numbers.Text(seconds)}");

    /// <summary>One client stream.</summary>
    public Task<Outcome> StreamAsync(int size, bool hint, double seconds) =>
        AskAsync($"stream {size} {(hint ? 1 : 0)} {Numbers.Text(seconds)}");

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    private static int FreePort()
    {
        using var listener = new System.Net.Sockets.TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        return ((System.Net.IPEndPoint)listener.LocalEndpoint).Port;
    }

    private async Task<Outcome> AskAsync(string command)
    {
        string answer = await _client.AskAsync(command, DeskWords.Answer);
        return JsonSerializer.Deserialize<Outcome>(answer[DeskWords.Answer.Length..])!;
    }
}
