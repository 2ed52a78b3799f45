using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;

namespace Ambrosia.Replicas.Tests.Running;

/// <summary>Gateways, each a process at a port of its own.</summary>
internal sealed class GatewayProcesses
{
    private const int Terminate = 15; // SIGTERM.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly Sandbox _sandbox;
    private readonly int[] _ports;
    private readonly int[] _healthPorts;
    private readonly Child[] _running;

    /// <summary>Starts one for each port.</summary>
    public GatewayProcesses(Sandbox sandbox, int[] ports)
    {
        (_sandbox, _ports, _healthPorts) = (sandbox, ports, FreePorts.Some(ports.Length));
        _running = [.. Enumerable.Range(0, ports.Length).Select(Start)];
    }

    /// <summary>Ends one by SIGKILL, and starts it again.</summary>
    public async Task ReplaceAsync(int number)
    {
        await _running[number].KillAsync();
        _running[number] = Start(number);
    }

    /// <summary>Calls that those which run now have had answered on streams to instances.</summary>
    public async Task<long> StreamedAsync()
    {
        using var client = new HttpClient();
        long all = 0;
        foreach (int port in _healthPorts)
        {
            string? metrics = null; // Empty before the first call.
            await Wait.UntilAsync(
                "a gateway tells its metrics", async () => (metrics = await TryGetAsync(client, port)) is not null, s_patience);
            string? line = metrics!.Split('\n').FirstOrDefault(
                static line => line.StartsWith("ambrosia_gateway_streamed_total", StringComparison.Ordinal));
            all += line is null ? 0 : (long)double.Parse(line[(line.LastIndexOf(' ') + 1)..], CultureInfo.InvariantCulture);
        }

        return all;
    }

    // One that was just started does not listen yet.
    private static async Task<string?> TryGetAsync(HttpClient client, int port)
    {
        try
        {
            return await client.GetStringAsync(new Uri($"http://127.0.0.1:{port}/metrics"));
        }
        catch (HttpRequestException)
        {
            return null;
        }
    }

    /// <summary>Ends all by SIGTERM, when nobody calls any more.</summary>
    public async Task StopAsync()
    {
        foreach (Child gateway in _running)
        {
            gateway.Signal(Terminate);
            await gateway.Exited.WaitAsync(s_patience);
            Assert.Contains("All calls were answered.", gateway.Output, StringComparison.Ordinal);
            Assert.Equal(0, gateway.ExitCode);
        }
    }

    private Child Start(int number) => Child.Start(
        _sandbox, $"gateway-{number}", Executables.Command,
        ["gateway", "--catalog", _sandbox.Catalog, "--listen", $"127.0.0.1:{_ports[number]}",
            "--health", $"127.0.0.1:{_healthPorts[number]}"]);
}
