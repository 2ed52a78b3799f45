using System.Globalization;
using System.Text;
using Ambrosia.Bench.Immortals;

namespace Ambrosia.Bench.Processes;

/// <summary>
/// Restate on this machine: its server, and a service of Node.js that echoes (bench/Restate). The configuration is that of the server
/// itself but for addresses and words to its makers: one node, whose log is synced to the disk before a call is taken.
/// </summary>
internal sealed class RestateServer : IAsyncDisposable
{
    /// <summary>Where a handler without state is called; many calls of it run at the same time.</summary>
    public const string ServicePath = "/sink/Echo";

    /// <summary>Where a virtual object is called: one call at a time, as an immortal has it.</summary>
    public const string ObjectPath = "/object/one/Echo";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private readonly Child _server;
    private readonly Child _service;

    private RestateServer(Child server, Child service, string address) => (_server, _service, Address) = (server, service, address);

    /// <summary>Where calls come in, as host and port.</summary>
    public string Address { get; }

    /// <summary>Server and service.</summary>
    public IReadOnlyList<Child> Processes => [_server, _service];

    /// <summary>Starts both, with their data in a folder, and makes the service known.</summary>
    /// <param name="programs">Where <c>npm ci</c> has put them.</param>
    /// <param name="folder">For the server's data.</param>
    public static async Task<RestateServer> StartAsync(string programs, string folder)
    {
        Directory.CreateDirectory(folder);
        (string calls, string admin, string node) = (FreeAddress(), FreeAddress(), FreeAddress());
        string configuration = Path.Combine(folder, "restate.toml");
        await File.WriteAllTextAsync(configuration, Configuration(calls, admin, node));
        var server = new Child(
            "Restate server", Program(programs), "--config-file", configuration, "--base-dir", Path.Combine(folder, "data"),
            "--node-name", "bench", "--no-logo");
        int port = OutsideTopology.FreePort();
        var service = new Child(
            "Restate service", "node", Path.Combine(programs, "service.mjs"), Text(port), Text(server.Id)); // It ends the server after us.
        var started = new RestateServer(server, service, calls);
        try
        {
            await service.ExpectAsync(DeskWords.Ready);
            await RegisterAsync(new Uri($"http://{admin}/"), port, server);
            return started;
        }
        catch (ChildFailedException)
        {
            await started.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _service.DisposeAsync();
        await _server.DisposeAsync();
    }

    private static string Configuration(string calls, string admin, string node) => $"""
        disable-telemetry = true
        listen-mode = "tcp"
        log-filter = "warn"
        bind-address = "{node}"
        advertised-address = "http://{node}/"

        [ingress]
        bind-address = "{calls}"

        [admin]
        bind-address = "{admin}"
        """;

    private static string Program(string programs) =>
        Directory.EnumerateDirectories(Path.Combine(programs, "node_modules", "@restatedev"), "restate-server-*")
            .Select(static package => Path.Combine(package, "bin", "restate-server")).FirstOrDefault(File.Exists)
            ?? throw new ChildFailedException($"npm has installed no Restate server for this machine below {programs}.");

    private static async Task RegisterAsync(Uri admin, int port, Child server)
    {
        using var http = new HttpClient { BaseAddress = admin };
        using var patience = new CancellationTokenSource(s_patience);
        string last = "";
        while (!patience.IsCancellationRequested)
        {
            try
            {
                using var body = new StringContent($$"""{"uri":"http://127.0.0.1:{{Text(port)}}/"}""", Encoding.UTF8, "application/json");
                using HttpResponseMessage answer = await http.PostAsync(new Uri("deployments", UriKind.Relative), body, patience.Token);
                if (answer.IsSuccessStatusCode)
                {
                    return;
                }

                last = await answer.Content.ReadAsStringAsync(patience.Token);
            }
            catch (Exception error) when (error is HttpRequestException or OperationCanceledException)
            {
                last = error.Message; // Not listening yet.
            }

            await Task.Delay(TimeSpan.FromMilliseconds(100));
        }

        throw new ChildFailedException($"Restate did not take the service: {last} It said:\n  {server.LastWords}");
    }

    private static string FreeAddress() => $"127.0.0.1:{Text(OutsideTopology.FreePort())}";

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
