using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Ambrosia.Bench.Immortals;

namespace Ambrosia.Bench.Processes;

/// <summary>A client from outside, and what it calls.</summary>
internal sealed class OutsideTopology : IAsyncDisposable
{
    private readonly Child _client;
    private readonly IReadOnlyList<Child> _servers;
    private readonly IAsyncDisposable? _owned;

    private OutsideTopology(Child client, IReadOnlyList<Child> servers, IAsyncDisposable? owned) =>
        (_client, _servers, _owned) = (client, servers, owned);

    /// <summary>Client first.</summary>
    public IReadOnlyList<Child> Processes => [_client, .. _servers];

    /// <summary>An immortal, whose coordinator takes the calls and logs them.</summary>
    public static async Task<OutsideTopology> StartImmortalAsync(string folder, params string[] role)
    {
        string address = $"127.0.0.1:{FreePort()}";
        Cluster cluster = await Cluster.StartAsync(folder, logged: true, ["sink"], "--ingress", address, "--ingress-methods", "all");
        return new OutsideTopology(await StartClientAsync(role, address), cluster.Processes, cluster);
    }

    /// <summary>A server that does nothing but answer.</summary>
    public static async Task<OutsideTopology> StartBareAsync(string serverRole, params string[] role)
    {
        string address = $"127.0.0.1:{FreePort()}";
        var server = new Child(serverRole, null, serverRole, $"http://{address}");
        await server.ExpectAsync(WorkerDesk.Ready);
        return new OutsideTopology(await StartClientAsync(role, address), [server], server);
    }

    /// <summary>A client of Restate, which somebody else ends.</summary>
    public static async Task<OutsideTopology> StartClientOfAsync(RestateServer server, params string[] role) =>
        new(await StartClientAsync(role, server.Address), server.Processes, null);

    /// <summary>A port that the system calls free.</summary>
    public static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
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
        await (_owned?.DisposeAsync() ?? default);
    }

    // A role of this program, its address, and what else it is told.
    private static async Task<Child> StartClientAsync(string[] role, string address)
    {
        var client = new Child(role[0], null, [role[0], $"http://{address}", .. role[1..]]);
        await client.ExpectAsync(WorkerDesk.Ready);
        return client;
    }
}
