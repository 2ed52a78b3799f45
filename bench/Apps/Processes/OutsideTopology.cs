using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Ambrosia.Bench.Immortals;

namespace Ambrosia.Bench.Processes;

/// <summary>A client from outside, and what it calls: an immortal with its coordinator, or a bare server.</summary>
internal sealed class OutsideTopology : IAsyncDisposable
{
    private readonly Child _client;
    private readonly Child? _server;
    private readonly Cluster? _cluster;

    private OutsideTopology(Child client, Child? server, Cluster? cluster) => (_client, _server, _cluster) = (client, server, cluster);

    /// <summary>Client first.</summary>
    public IReadOnlyList<Child> Processes => [_client, .. _server is null ? _cluster!.Processes : [_server]];

    /// <summary>An immortal, whose coordinator takes the calls and logs them.</summary>
    public static async Task<OutsideTopology> StartImmortalAsync(string folder, string role)
    {
        string address = $"127.0.0.1:{FreePort()}";
        Cluster cluster = await Cluster.StartAsync(folder, logged: true, ["sink"], "--ingress", address, "--ingress-methods", "all");
        return new OutsideTopology(await StartClientAsync(role, address), null, cluster);
    }

    /// <summary>A server that does nothing but answer.</summary>
    public static async Task<OutsideTopology> StartBareAsync(string serverRole, string role)
    {
        string address = $"127.0.0.1:{FreePort()}";
        var server = new Child(serverRole, null, serverRole, $"http://{address}");
        await server.ExpectAsync(WorkerDesk.Ready);
        return new OutsideTopology(await StartClientAsync(role, address), server, null);
    }

    /// <summary>Calls, so many under way at a time.</summary>
    public async Task<Outcome> CallAsync(int size, int outstanding, double seconds)
    {
        string answer = await _client.AskAsync($"call {size} {outstanding} {Numbers.Text(seconds)}", WorkerDesk.Answer, seconds);
        return JsonSerializer.Deserialize<Outcome>(answer[WorkerDesk.Answer.Length..])!;
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await (_server?.DisposeAsync() ?? default);
        await (_cluster?.DisposeAsync() ?? default);
    }

    private static async Task<Child> StartClientAsync(string role, string address)
    {
        var client = new Child(role, null, role, $"http://{address}");
        await client.ExpectAsync(WorkerDesk.Ready);
        return client;
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
