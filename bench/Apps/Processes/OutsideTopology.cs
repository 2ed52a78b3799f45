using System.Net;
using System.Net.Sockets;
using System.Text.Json;
using Ambrosia.Bench.Immortals;

namespace Ambrosia.Bench.Processes;

/// <summary>A client from outside, and what it calls.</summary>
internal sealed class OutsideTopology : IAsyncDisposable
{
    /// <summary>Where Echo of the immortal is called over HTTP.</summary>
    public const string EchoPath = "/v1/immortals/sink/Echo";

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
        return new OutsideTopology(await StartRoleAsync(role, address), cluster.Processes, cluster);
    }

    /// <summary>A server that does nothing but answer.</summary>
    public static async Task<OutsideTopology> StartBareAsync(string[] serverRole, string[] role)
    {
        string address = $"127.0.0.1:{FreePort()}";
        Child server = await StartRoleAsync(serverRole, address);
        return new OutsideTopology(await StartRoleAsync(role, address), [server], server);
    }

    /// <summary>A client of Restate, which somebody else ends.</summary>
    public static async Task<OutsideTopology> StartClientOfAsync(RestateServer server, params string[] role) =>
        new(await StartRoleAsync(role, server.Address), server.Processes, null);

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
        string answer = await _client.AskAsync($"call {size} {outstanding} {Numbers.Text(seconds)}", DeskWords.Answer, seconds);
        return JsonSerializer.Deserialize<Outcome>(answer[DeskWords.Answer.Length..])!;
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await (_owned?.DisposeAsync() ?? default);
    }

    // A role of bench/Outside, its address, and what else it is told.
    private static async Task<Child> StartRoleAsync(string[] role, string address)
    {
        if (Environment.GetEnvironmentVariable("BENCH_OUTSIDE") is not { Length: > 0 } program)
        {
            throw new ChildFailedException("BENCH_OUTSIDE does not name the program of bench/Outside; start the scenario by bench/run.");
        }

        string[] arguments = [role[0], $"http://{address}", .. role[1..]];
        Child child = Path.GetExtension(program) == ".dll"
            ? new Child(role[0], "dotnet", [program, .. arguments])
            : new Child(role[0], program, arguments);
        await child.ExpectAsync(DeskWords.Ready);
        return child;
    }
}
